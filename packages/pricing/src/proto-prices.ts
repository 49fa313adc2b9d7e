import type { ImagePricing as ImagePricingMessage } from '@gateway/proto/generated/gateway/catalog/v1/ImagePricing';
import type {
  Pricing__Output,
  Pricing as PricingMessage,
} from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type {
  TokenPricing__Output,
  TokenPricing as TokenPricingMessage,
} from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import {
  type ImagePricing,
  mapPrices,
  mapTokenPricing,
  mapValues,
  type Prices,
  type PricesInput,
  type Rates,
  type TokenPricing,
  type TokenPricingInput,
} from './pricing';
import { AUDIO_RATE_NAMES, earlierNameOf, IMAGE_RATE_NAMES, TOKEN_RATE_NAMES } from './rates';

/** The fields of a message, or members of a JSON object, that are rates. */
type RateFields = Readonly<Record<string, unknown>>;

/** The fields that messages and the journal of the release before have for rates. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  [...TOKEN_RATE_NAMES, ...IMAGE_RATE_NAMES, ...AUDIO_RATE_NAMES].map((rate) => [
    rate,
    `${earlierNameOf(rate)}Nano`,
  ]),
);

/** Returns the amounts as text by the field of their rate. */
export function toRateFields<Name extends string>(
  names: readonly Name[],
  rates: Rates<Name, bigint | string>,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const rate of names) {
    const nano = rates[rate];
    if (nano !== undefined) fields[FIELDS.get(rate)!] = nano.toString();
  }
  return fields;
}

/** Returns the amounts of those rates that have a field. */
export function fromRateFields<Name extends string>(
  names: readonly Name[],
  fields: object,
): Rates<Name, string> {
  const rates: { [Rate in Name]?: string } = {};
  for (const rate of names) {
    const nano = (fields as RateFields)[FIELDS.get(rate)!];
    if (typeof nano === 'string') rates[rate] = nano;
  }
  return rates;
}

export function fromProtoPrices({ tokens, image, video, audio }: Pricing__Output): Prices {
  return mapPrices(
    {
      tokens: tokens && textsOf(tokens),
      image: image && {
        per_image: image.perImage.map(({ priceNano, ...row }) => ({ ...row, price: priceNano })),
        ...fromMessage(IMAGE_RATE_NAMES, image),
      },
      video: video && {
        tiers: video.tiers,
        default_tier: video.defaultTier || null,
        per_second: video.perSecondNano,
      },
      audio: audio && fromMessage(AUDIO_RATE_NAMES, audio),
    },
    BigInt,
  );
}

export const fromProtoTokenPricing = (tokens: TokenPricing__Output): TokenPricing =>
  mapTokenPricing(textsOf(tokens), BigInt);

const textsOf = (tokens: TokenPricing__Output) => ({
  ...fromMessage(TOKEN_RATE_NAMES, tokens),
  service_tiers: mapValues(tokens.serviceTiers, (tier) => fromMessage(TOKEN_RATE_NAMES, tier)),
  long_context: tokens.longContext && {
    above_tokens: tokens.longContextAboveTokens,
    ...fromMessage(TOKEN_RATE_NAMES, tokens.longContext),
  },
  units: tokens.unitNano,
});

/** A message of the release before has no map. */
const fromMessage = <Name extends string>(
  names: readonly Name[],
  message: { readonly rates: Readonly<Record<string, string>> },
): Rates<Name, string> => ({ ...fromRateFields(names, message), ...(message.rates as Rates<Name, string>) });

/** Returns the message without source and version. */
export function toProtoPrices(prices: PricesInput<bigint>): PricingMessage {
  const { tokens, image, video, audio } = mapPrices(prices, String);
  return {
    ...(tokens && { tokens: toMessage(tokens) }),
    ...(image && { image: toImageMessage(image) }),
    ...(video && {
      video: {
        tiers: [...video.tiers],
        defaultTier: video.default_tier ?? '',
        perSecondNano: video.per_second,
      },
    }),
    ...(audio && { audio: withFields(AUDIO_RATE_NAMES, audio) }),
  };
}

export const toProtoTokenPricing = (pricing: TokenPricingInput<bigint>): TokenPricingMessage =>
  toMessage(mapTokenPricing(pricing, String));

function toMessage(pricing: TokenPricing<string>): TokenPricingMessage {
  const { service_tiers, long_context, units = {}, ...rates } = pricing;
  const { above_tokens: longContextAboveTokens, ...longRates } = long_context ?? { above_tokens: 0 };
  return {
    ...withFields(TOKEN_RATE_NAMES, rates),
    serviceTiers: mapValues(service_tiers, (tier) => withFields(TOKEN_RATE_NAMES, tier)),
    ...(long_context && { longContextAboveTokens, longContext: withFields(TOKEN_RATE_NAMES, longRates) }),
    unitNano: units,
  };
}

function toImageMessage({ per_image, ...rates }: ImagePricing<string>): ImagePricingMessage {
  return {
    perImage: per_image.map(({ price, ...row }) => ({ ...row, priceNano: price })),
    ...withFields(IMAGE_RATE_NAMES, rates),
  };
}

/** Returns the map of rates and the fields of the release before. */
const withFields = <Name extends string>(names: readonly Name[], rates: Rates<Name, string>) => ({
  ...toRateFields(names, rates),
  rates: rates as Readonly<Record<string, string>>,
});
