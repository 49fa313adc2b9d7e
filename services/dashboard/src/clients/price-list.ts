import { toListedModel } from '@gateway/models';
import type { ListedPricing } from '@gateway/pricing';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { FindPricesRequest } from '@gateway/proto/generated/gateway/catalog/v1/FindPricesRequest';
import type { ListedPrice__Output } from '@gateway/proto/generated/gateway/catalog/v1/ListedPrice';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import { callUnary } from '@gateway/rpc';
import type { Caller } from './billing';

/** Catalog may have to fetch the list. */
const TIMEOUT_MS = 25_000;

/** A model of a price list. Prices are USD per million tokens, with the list as their source. */
export interface PricedModel {
  readonly name: string;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly context_length: number;
  readonly max_output_tokens: number;
  readonly capabilities: readonly string[];
  /** What callers would pay. */
  readonly pricing: Prices;
  /** What the provider charges. */
  readonly cost: Prices;
  /** What the list prices and the gateway can't bill. */
  readonly unpriced: readonly string[];
}

type Prices = Pick<ListedPricing, 'source' | 'source_date' | 'tokens'>;

export interface FoundPrices {
  /** By upstream model. */
  readonly models: ReadonlyMap<string, PricedModel>;
  /** Why the other requested models have no price, by upstream model. Empty without a list. */
  readonly missing: ReadonlyMap<string, string>;
  readonly source: string | null;
  readonly sourceDate: string | null;
  /** Why there is no list. */
  readonly problem: string | null;
}

/** The public price list that catalog reads. */
export class PriceList {
  readonly #client: CatalogServiceClient;

  constructor(client: CatalogServiceClient) {
    this.#client = client;
  }

  async find({ requestId, signal }: Caller, request: FindPricesRequest): Promise<FoundPrices> {
    const settings = { timeoutMs: TIMEOUT_MS, requestId, signal };
    const found = await callUnary(this.#client, this.#client.FindPrices, request, settings);
    return {
      models: new Map(found.prices.map((price) => [price.upstreamModel, fromProtoPrice(price)])),
      missing: new Map(found.missing.map(({ upstreamModel, reason }) => [upstreamModel, reason])),
      source: found.source || null,
      sourceDate: found.sourceDate || null,
      problem: found.problem || null,
    };
  }
}

function fromProtoPrice({ model, cost, unpriced }: ListedPrice__Output): PricedModel {
  const listed = toListedModel(model!);
  return {
    name: listed.name,
    input_modalities: listed.input_modalities,
    output_modalities: listed.output_modalities,
    context_length: listed.context_length,
    max_output_tokens: listed.max_output_tokens,
    capabilities: listed.capabilities,
    pricing: toPrices(model!),
    cost: toPrices({ ...model!, pricing: cost }),
    unpriced,
  };
}

function toPrices(model: Model__Output): Prices {
  const { source, source_date, tokens } = toListedModel(model).pricing!;
  return { source, source_date, ...(tokens && { tokens }) };
}
