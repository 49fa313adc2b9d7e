import { GatewayError } from '@gateway/errors';
import { type TokenPricing, toProtoTokenPricing } from '@gateway/pricing';
import type { Logger } from '@gateway/process';
import type { FindPricesRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/FindPricesRequest';
import type { FindPricesResponse } from '@gateway/proto/generated/gateway/catalog/v1/FindPricesResponse';
import type { ListedPrice } from '@gateway/proto/generated/gateway/catalog/v1/ListedPrice';
import type { MissingPrice } from '@gateway/proto/generated/gateway/catalog/v1/MissingPrice';
import type { Pricing } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import { defaultBaseUrl } from '@gateway/providers';
import type { RequestContext } from '@gateway/rpc';
import { invalid } from '../domain/provider';
import type { Providers } from '../domain/providers';
import { findPrice, priceKey } from '../price-lists/find-price';
import { listProvidersOf, type ProviderNames } from '../price-lists/list-providers';
import type { PricedModel } from '../price-lists/price-list';
import type { CurrentPriceList, PriceListSource } from '../price-lists/price-list-source';
import { withMarkup } from '../price-lists/with-markup';

export interface FindPricesDeps {
  readonly providers: Providers;
  readonly priceList: Pick<PriceListSource, 'current'>;
  readonly log: Logger;
}

const MAX_MODELS = 5_000;

/** Handles `FindPrices`. A list that can't be read is a result, so that an import without it goes on. */
export function findPrices({ providers, priceList, log }: FindPricesDeps) {
  return async (
    _context: RequestContext,
    request: FindPricesRequest__Output,
  ): Promise<FindPricesResponse> => {
    const { upstreamModels, markupPercent } = request;
    if (upstreamModels.length > MAX_MODELS) throw invalid(`upstream_models: at most ${MAX_MODELS}`);
    let list: CurrentPriceList | undefined;
    try {
      list = await priceList.current();
    } catch (error) {
      log.warn({ err: error }, 'price list not readable');
      return { problem: problemOf(error) };
    }
    if (!list) return { problem: 'no price list is configured' };
    const { source, date, format } = list;
    const listProviders =
      request.listProvider === ''
        ? listProvidersOf(format, namesOf(request.providerId, providers))
        : [request.listProvider];
    const prices: ListedPrice[] = [];
    const missing: MissingPrice[] = [];
    for (const upstreamModel of upstreamModels) {
      const found = priceOrReason(list, listProviders, upstreamModel);
      if (typeof found === 'string') missing.push({ upstreamModel, reason: found });
      else prices.push(toListedPrice(found, list, markupPercent || '0'));
    }
    return { prices, missing, source, sourceDate: date };
  };
}

/** Returns the entry of the first provider that has one, or why there is none. */
function priceOrReason(
  { prices, rejections }: CurrentPriceList,
  listProviders: readonly string[],
  upstreamModel: string,
): PricedModel | string {
  const keys = listProviders.map((provider) => ({ provider, upstreamModel }));
  const [priced] = keys.flatMap((key) => findPrice(prices, key) ?? []);
  const [reason] = keys.flatMap((key) => rejections.get(priceKey(key)) ?? []);
  return priced ?? reason ?? `not listed under ${listProviders.join(', ')}`;
}

function namesOf(id: string, providers: Providers): ProviderNames {
  const provider = providers.all.find((one) => one.id === id);
  if (!provider) return { id };
  const { kind, baseUrl, options } = provider;
  const hasOwnUrl = kind === 'openai' && baseUrl !== '' && baseUrl !== defaultBaseUrl(kind, {});
  const preset = typeof options.preset === 'string' ? options.preset : undefined;
  return { id, preset, kind: hasOwnUrl || preset !== undefined ? undefined : kind };
}

function problemOf(error: unknown): string {
  if (error instanceof GatewayError) return error.detail ?? error.message;
  const { code, message, cause } = error as NodeJS.ErrnoException;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? message;
}

function toListedPrice(
  priced: PricedModel,
  { source, date }: CurrentPriceList,
  markupPercent: string,
): ListedPrice {
  const toPricing = (tokens: TokenPricing): Pricing => ({
    source,
    sourceDate: date,
    tokens: toProtoTokenPricing(tokens),
  });
  return {
    upstreamModel: priced.upstreamModel,
    model: {
      name: priced.name,
      inputModalities: [...priced.inputModalities],
      outputModalities: [...priced.outputModalities],
      contextLength: priced.contextLength,
      maxOutputTokens: priced.maxOutputTokens,
      capabilities: [...priced.capabilities],
      pricing: toPricing(withMarkup(priced.pricing, markupPercent)),
    },
    cost: toPricing(priced.pricing),
    unpriced: [...priced.unpriced],
  };
}
