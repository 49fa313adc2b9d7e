import { toListedModel } from '@gateway/models';
import { fromProtoTokenPricing, type TokenPrice, type TokenPricing } from '@gateway/pricing';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { Target__Output } from '@gateway/proto/generated/gateway/catalog/v1/Target';
import type { TokenPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import { strategyOf, type Target } from '@gateway/upstream';
import type { CatalogModel, Pricing } from '../domain/model';

export function fromProtoModel(model: Model__Output): CatalogModel {
  const pricing = fromProtoPricing(model);
  const { outputModalities } = model;
  return {
    slug: model.slug,
    aliases: model.aliases,
    name: model.name,
    active: model.status === 'MODEL_STATUS_ACTIVE',
    preview: model.preview,
    outputModalities,
    capabilities: new Set(model.capabilities),
    hidesReasoning: model.capabilities.includes('reasoning'),
    contextLength: model.contextLength,
    maxOutputTokens: model.maxOutputTokens,
    outputFloorTokens: model.outputFloorTokens,
    maxImageTokens: model.maxImageTokens,
    targets: model.targets.map((target) => fromProtoTarget(target, outputModalities)),
    strategy: strategyOf(model.strategy),
    fallbackModels: model.fallbackModels,
    ...(pricing && { pricing }),
    createdAtMs: Number(model.createdAtMs),
    listed: toListedModel(model),
  };
}

function fromProtoTarget({ cost, ...target }: Target__Output, outputs: readonly string[]): Target {
  const prices = cost && fromProtoTokens(cost, outputs);
  if (!prices) return target;
  const { base, serviceTiers } = prices;
  return { ...target, cost: serviceTiers.size === 0 ? base : { ...base, serviceTiers } };
}

function fromProtoPricing({ pricing, outputModalities }: Model__Output): Pricing | undefined {
  if (!pricing?.tokens) return undefined;
  const prices = fromProtoTokens(pricing.tokens, outputModalities);
  return prices && { version: BigInt(pricing.version), ...prices };
}

/** Returns undefined without both an input and an output price: the model is not priced by tokens. */
function fromProtoTokens(
  tokens: TokenPricing__Output,
  outputs: readonly string[],
): Omit<Pricing, 'version'> | undefined {
  const { service_tiers, ...price } = fromProtoTokenPricing(tokens);
  const { units } = price;
  const base = completePrice(withFreeOutput(price, outputs));
  if (!base) return undefined;
  const serviceTiers = new Map<string, TokenPrice>();
  for (const [tier, rates] of Object.entries(service_tiers)) {
    const tierPrice = completePrice({ ...rates, ...(units && { units }) });
    if (tierPrice) serviceTiers.set(tier, tierPrice);
  }
  return { base, serviceTiers };
}

/** The price of a service tier as the catalog has it. */
type GivenPrice = Omit<TokenPricing, 'service_tiers'>;

const PRICED_BY_INPUT = ['embedding', 'moderation', 'rerank'];

/** Only the input of these models costs something, or each unit of what they do. */
function withFreeOutput(price: GivenPrice, outputs: readonly string[]): GivenPrice {
  if (!outputs.some((output) => PRICED_BY_INPUT.includes(output))) return price;
  const isByUnit = Object.keys(price.units ?? {}).length > 0;
  return { output: 0n, ...(isByUnit && { input: 0n }), ...price };
}

function completePrice({ long_context, units, ...rates }: GivenPrice): TokenPrice | undefined {
  const { input, output } = rates;
  if (input === undefined || output === undefined) return undefined;
  return {
    ...{ ...rates, input, output },
    // Prices that the long-context entry does not change apply to long inputs too.
    ...(long_context && { long_context: { input, output, ...long_context } }),
    ...(units && Object.keys(units).length > 0 && { units }),
  };
}
