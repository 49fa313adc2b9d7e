import type { CatalogModel } from './listed-model';

/** A model as an operator describes it, without status and prices. */
export type ModelFields = Omit<CatalogModel, 'status' | 'pricing' | 'created_at'>;

/** Nano-USD per million tokens. Token kinds without a price are not sold. */
export interface RatesDraft {
  readonly input?: bigint | null | undefined;
  readonly output?: bigint | null | undefined;
  readonly cache_read?: bigint | null | undefined;
  readonly cache_write?: bigint | null | undefined;
  readonly cache_write_1h?: bigint | null | undefined;
}

/** Prices in nano-USD, in the API's structure. */
export interface PricesDraft {
  readonly source: string;
  readonly source_date: string;
  readonly tokens?:
    | (RatesDraft & {
        readonly service_tiers?: Readonly<Record<string, RatesDraft>> | null | undefined;
        readonly long_context?: (RatesDraft & { readonly above_tokens: number }) | null | undefined;
      })
    | null
    | undefined;
  readonly image?:
    | {
        readonly per_image?:
          | readonly { readonly size: string; readonly quality: string; readonly price: bigint }[]
          | null
          | undefined;
        readonly text_input?: bigint | null | undefined;
        readonly image_input?: bigint | null | undefined;
        readonly image_output?: bigint | null | undefined;
        readonly text_output?: bigint | null | undefined;
        readonly input_megapixel?: bigint | null | undefined;
      }
    | null
    | undefined;
  readonly video?:
    | {
        readonly tiers: readonly string[];
        readonly default_tier?: string | null | undefined;
        readonly per_second: Readonly<Record<string, bigint>>;
      }
    | null
    | undefined;
}
