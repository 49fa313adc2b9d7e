import { toListedModel } from '@gateway/models';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { Target__Output } from '@gateway/proto/generated/gateway/catalog/v1/Target';
import type { TokenPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import { strategyOf, type Target } from '@gateway/upstream';
import type { CatalogModel, Pricing, TokenPrice } from '../domain/model';

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

function fromProtoTarget({ cost: given, ...target }: Target__Output, outputs: readonly string[]): Target {
  const cost = given && fromProtoPrice(withFreeOutput(given, outputs));
  if (!cost) return target;
  const serviceTiers = fromProtoTiers(given);
  return { ...target, cost: serviceTiers.size === 0 ? cost : { ...cost, serviceTiers } };
}

function fromProtoPricing(model: Model__Output): Pricing | undefined {
  const tokens = model.pricing?.tokens;
  const base = tokens && fromProtoPrice(withFreeOutput(tokens, model.outputModalities));
  if (!model.pricing || !base) return undefined;
  return { version: BigInt(model.pricing.version), base, serviceTiers: fromProtoTiers(tokens) };
}

function fromProtoTiers({ serviceTiers, unitNano }: TokenPricing__Output): ReadonlyMap<string, TokenPrice> {
  const prices = new Map<string, TokenPrice>();
  for (const [tier, pricing] of Object.entries(serviceTiers)) {
    const price = fromProtoPrice({ ...pricing, unitNano });
    if (price) prices.set(tier, price);
  }
  return prices;
}

const PRICED_BY_INPUT = ['embedding', 'moderation', 'rerank'];

/** Only the input of these models costs something, or each unit of what they do. */
function withFreeOutput(pricing: TokenPricing__Output, outputs: readonly string[]): TokenPricing__Output {
  if (!outputs.some((output) => PRICED_BY_INPUT.includes(output))) return pricing;
  const isByUnit = Object.keys(pricing.unitNano).length > 0;
  const { outputNano = '0', inputNano = isByUnit ? '0' : undefined } = pricing;
  return { ...pricing, outputNano, ...(inputNano !== undefined && { inputNano }) };
}

/** Returns undefined without both an input and an output price: the model is not priced by tokens. */
function fromProtoPrice(pricing: TokenPricing__Output): TokenPrice | undefined {
  const { inputNano, outputNano, cacheReadNano, cacheWriteNano, cacheWriteLongNano, unitNano } = pricing;
  const { audioInputNano, audioCacheReadNano, audioOutputNano } = pricing;
  if (inputNano === undefined || outputNano === undefined) return undefined;
  // Prices that the long-context entry does not change apply to long inputs too.
  const long = pricing.longContext && fromProtoPrice({ inputNano, outputNano, ...pricing.longContext });
  return {
    inputNano: BigInt(inputNano),
    outputNano: BigInt(outputNano),
    ...(cacheReadNano !== undefined && { cacheReadNano: BigInt(cacheReadNano) }),
    ...(cacheWriteNano !== undefined && { cacheWriteNano: BigInt(cacheWriteNano) }),
    ...(cacheWriteLongNano !== undefined && { cacheWriteLongNano: BigInt(cacheWriteLongNano) }),
    ...(audioInputNano !== undefined && { audioInputNano: BigInt(audioInputNano) }),
    ...(audioCacheReadNano !== undefined && { audioCacheReadNano: BigInt(audioCacheReadNano) }),
    ...(audioOutputNano !== undefined && { audioOutputNano: BigInt(audioOutputNano) }),
    ...(long && { longContext: { aboveTokens: pricing.longContextAboveTokens, price: long } }),
    ...(Object.keys(unitNano).length > 0 && { unitNano: fromProtoUnits(unitNano) }),
  };
}

const fromProtoUnits = (unitNano: Readonly<Record<string, string>>): ReadonlyMap<string, bigint> =>
  new Map(Object.entries(unitNano).map(([unit, nano]) => [unit, BigInt(nano)]));
