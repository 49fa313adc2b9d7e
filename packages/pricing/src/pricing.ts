import {
  AUDIO_RATE_NAMES,
  type AudioRate,
  IMAGE_RATE_NAMES,
  type ImageRate,
  TOKEN_RATE_NAMES,
  type TokenRate,
} from './rates';

/**
 * The prices of a model. The structure is that of the API, of configuration files and of the database; they differ in how they
 * write an amount: nano-USD as an integer or its text, or USD as a number or a decimal.
 */
export interface Pricing<Amount = bigint> extends Prices<Amount> {
  /** Where the prices are from, and the day on which they were read (`YYYY-MM-DD`). */
  readonly source: string;
  readonly source_date: string;
}

export interface Prices<Amount = bigint> {
  readonly tokens?: TokenPricing<Amount>;
  readonly image?: ImagePricing<Amount>;
  readonly video?: VideoPricing<Amount>;
  readonly audio?: AudioRates<Amount>;
}

/** Amounts by the name of their rate. */
export type Rates<Name extends string, Amount> = { readonly [Rate in Name]?: Amount };

/** Per million tokens. */
export type TokenRates<Amount = bigint> = Rates<TokenRate, Amount>;
export type AudioRates<Amount = bigint> = Rates<AudioRate, Amount>;

/** What tokens and units of one call cost. */
export type TokenPrice<Amount = bigint> = PartialPrice<Amount> & Record<'input' | 'output', Amount>;

type PartialPrice<Amount> = TokenRates<Amount> & {
  /** The rates of all tokens of a call whose input is longer than `above_tokens`. */
  readonly long_context?: TokenRates<Amount> & { readonly above_tokens: number };
  /** Per unit of usage that is not counted in tokens. The same in every service tier and for every length of the input. */
  readonly units?: Readonly<Record<string, Amount>>;
};

export type TokenPricing<Amount = bigint> = PartialPrice<Amount> & {
  readonly service_tiers: Readonly<Record<string, TokenRates<Amount>>>;
  readonly units: Readonly<Record<string, Amount>>;
};

/** A fixed price per image, or rates of tokens. */
export type ImagePricing<Amount = bigint> = Rates<ImageRate, Amount> & {
  readonly per_image: readonly ImagePrice<Amount>[];
};

/** An empty size or quality matches any. */
export interface ImagePrice<Amount = bigint> {
  readonly size: string;
  readonly quality: string;
  readonly price: Amount;
}

/** Per second of video, by tier. */
export interface VideoPricing<Amount = bigint> {
  readonly tiers: readonly string[];
  readonly default_tier?: string;
  readonly per_second: Readonly<Record<string, Amount>>;
}

/** Prices in USD as the HTTP APIs show them. */
export interface ListedPricing extends Omit<Prices<number>, 'video'> {
  readonly currency: 'USD';
  readonly version: number;
  readonly source: string;
  readonly source_date: string;
  readonly video?: Omit<VideoPricing<number>, 'default_tier'> & { readonly default_tier: string | null };
}

/** Members that JSON may omit or have as null. */
type Nullish<T> = { readonly [Member in keyof T]?: T[Member] | null | undefined };

export type TokenPricingInput<Amount> = Nullish<
  TokenRates<Amount> & {
    readonly service_tiers: Readonly<Record<string, Nullish<TokenRates<Amount>>>>;
    readonly long_context: Nullish<TokenRates<Amount>> & { readonly above_tokens: number };
    readonly units: Readonly<Record<string, Amount>>;
  }
>;

export type PricesInput<Amount> = Nullish<{
  readonly tokens: TokenPricingInput<Amount>;
  readonly image: Nullish<ImagePricing<Amount>>;
  readonly video: Omit<VideoPricing<Amount>, 'default_tier'> & {
    readonly default_tier?: string | null | undefined;
  };
  readonly audio: Nullish<AudioRates<Amount>>;
}>;

/** Returns the same prices with each amount mapped, without members that are null or undefined. */
export function mapPrices<From, To>(prices: PricesInput<From>, map: (amount: From) => To): Prices<To> {
  const { tokens, image, video, audio } = prices;
  return {
    ...(tokens && { tokens: mapTokenPricing(tokens, map) }),
    ...(image && {
      image: {
        per_image: (image.per_image ?? []).map((row) => ({ ...row, price: map(row.price) })),
        ...mapRates(IMAGE_RATE_NAMES, image, map),
      },
    }),
    ...(video && {
      video: {
        tiers: video.tiers,
        ...(video.default_tier != null && { default_tier: video.default_tier }),
        per_second: mapValues(video.per_second, map),
      },
    }),
    ...(audio && { audio: mapRates(AUDIO_RATE_NAMES, audio, map) }),
  };
}

export const mapTokenPricing = <From, To>(
  tokens: TokenPricingInput<From>,
  map: (amount: From) => To,
): TokenPricing<To> => ({
  ...mapPartialPrice(tokens, map),
  service_tiers: mapValues(tokens.service_tiers ?? {}, (rates) => mapTokenRates(rates, map)),
  units: mapValues(tokens.units ?? {}, map),
});

export const mapTokenPrice = <From, To>(
  price: TokenPrice<From>,
  map: (amount: From) => To,
): TokenPrice<To> => ({
  ...mapPartialPrice(price, map),
  input: map(price.input),
  output: map(price.output),
});

function mapPartialPrice<From, To>(
  { long_context, units, ...rates }: TokenPricingInput<From>,
  map: (amount: From) => To,
): PartialPrice<To> {
  return {
    ...mapTokenRates(rates, map),
    ...(long_context && {
      long_context: { above_tokens: long_context.above_tokens, ...mapTokenRates(long_context, map) },
    }),
    ...(units && { units: mapValues(units, map) }),
  };
}

export const mapTokenRates = <From, To>(
  rates: Nullish<TokenRates<From>>,
  map: (amount: From) => To,
): TokenRates<To> => mapRates(TOKEN_RATE_NAMES, rates, map);

function mapRates<Name extends string, From, To>(
  names: readonly Name[],
  rates: Nullish<Rates<Name, From>>,
  map: (amount: From) => To,
): Rates<Name, To> {
  const mapped: { [Rate in Name]?: To } = {};
  for (const name of names) {
    const amount: From | null | undefined = rates[name];
    if (amount != null) mapped[name] = map(amount);
  }
  return mapped;
}

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
