import type { CatalogModel } from './listed-model';

/** A model as an operator describes it, without status and prices. */
export type ModelFields = Omit<CatalogModel, 'status' | 'pricing' | 'created_at'>;

type Nullish<T> = T | null | undefined;

/** Nano-USD. */
type Prices<Name extends string> = { readonly [Price in Name]?: Nullish<bigint> };

/** Per million tokens. Usage without a price is refused. */
export type RatesDraft = Prices<'input' | 'output' | 'cache_read' | 'cache_write' | 'cache_write_1h'>;

interface TokenPricesDraft extends RatesDraft {
  readonly service_tiers?: Nullish<Readonly<Record<string, RatesDraft>>>;
  readonly long_context?: Nullish<RatesDraft & { readonly above_tokens: number }>;
}

interface ImagePricesDraft
  extends Prices<'text_input' | 'image_input' | 'image_output' | 'text_output' | 'input_megapixel'> {
  readonly per_image?: Nullish<
    readonly { readonly size: string; readonly quality: string; readonly price: bigint }[]
  >;
}

interface VideoPricesDraft {
  readonly tiers: readonly string[];
  readonly default_tier?: Nullish<string>;
  readonly per_second: Readonly<Record<string, bigint>>;
}

/** Prices in nano-USD, in the API's structure. */
export interface PricesDraft {
  readonly source: string;
  readonly source_date: string;
  readonly tokens?: Nullish<TokenPricesDraft>;
  readonly image?: Nullish<ImagePricesDraft>;
  readonly video?: Nullish<VideoPricesDraft>;
}
