import type { TokenRates } from '@gateway/models';
import { nanoFromUsd } from '@gateway/money';
import type { CatalogModel, TokenPrices } from './listed-model';

/** A model as an operator describes it, without status and prices. */
export interface ModelFields extends Omit<CatalogModel, 'status' | 'pricing' | 'created_at' | 'targets'> {
  readonly targets: readonly TargetDraft[];
}

/** A cost is in nano-USD per million tokens. */
export interface TargetDraft extends Omit<CatalogModel['targets'][number], 'cost'> {
  readonly cost?: Nullish<TokenPricesDraft>;
}

type Nullish<T> = T | null | undefined;

/** Nano-USD. */
type Prices<Name extends string> = { readonly [Price in Name]?: Nullish<bigint> };

/** Per million tokens. Usage without a price is refused. */
export type RatesDraft = Prices<
  | 'input'
  | 'output'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_1h'
  | 'audio_input'
  | 'audio_cache_read'
  | 'audio_output'
>;

export interface TokenPricesDraft extends RatesDraft {
  readonly service_tiers?: Nullish<Readonly<Record<string, RatesDraft>>>;
  readonly long_context?: Nullish<RatesDraft & { readonly above_tokens: number }>;
  /** Per unit. */
  readonly units?: Nullish<Readonly<Record<string, bigint>>>;
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

type AudioPricesDraft = Prices<
  'million_characters' | 'hour' | 'text_input' | 'audio_input' | 'text_output' | 'audio_output'
>;

/** Prices in nano-USD, in the API's structure. */
export interface PricesDraft {
  readonly source: string;
  readonly source_date: string;
  readonly tokens?: Nullish<TokenPricesDraft>;
  readonly image?: Nullish<ImagePricesDraft>;
  readonly video?: Nullish<VideoPricesDraft>;
  readonly audio?: Nullish<AudioPricesDraft>;
}

/** Returns the fields of a model as an operator would write them. */
export const toModelFields = ({ targets, ...model }: CatalogModel): ModelFields => ({
  ...model,
  targets: targets.map(({ cost, ...target }) => ({ ...target, cost: cost && toDraftPrices(cost) })),
});

function toDraftPrices({ service_tiers, long_context, units, ...rates }: TokenPrices): TokenPricesDraft {
  return {
    ...toDraftRates(rates),
    service_tiers: Object.fromEntries(
      Object.entries(service_tiers).map(([tier, prices]) => [tier, toDraftRates(prices)]),
    ),
    ...(long_context && {
      long_context: { above_tokens: long_context.above_tokens, ...toDraftRates(long_context) },
    }),
    // Defined: catalog's prices are exact.
    units: Object.fromEntries(Object.entries(units).map(([unit, usd]) => [unit, nanoOf(usd)!])),
  };
}

const toDraftRates = ({
  input,
  output,
  cache_read,
  cache_write,
  cache_write_1h,
  audio_input,
  audio_cache_read,
  audio_output,
}: TokenRates): RatesDraft => ({
  input: nanoOf(input),
  output: nanoOf(output),
  cache_read: nanoOf(cache_read),
  cache_write: nanoOf(cache_write),
  cache_write_1h: nanoOf(cache_write_1h),
  audio_input: nanoOf(audio_input),
  audio_cache_read: nanoOf(audio_cache_read),
  audio_output: nanoOf(audio_output),
});

const nanoOf = (usd: number | undefined): bigint | undefined =>
  usd === undefined ? undefined : nanoFromUsd(usd);
