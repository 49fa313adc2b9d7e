import { AUDIO_RATE_NAMES, eachOf, IMAGE_RATE_NAMES, TOKEN_RATE_NAMES } from '@gateway/pricing';
import { z } from 'zod';
import { count, type JsonBody, label, tokens, usd, usdAmount, word, words } from './fields';

const price = usd.optional();
const rates = eachOf(TOKEN_RATE_NAMES, price);
export const prices = {
  currency: z.literal('USD'),
  tokens: z
    .object({
      ...rates,
      service_tiers: z.record(z.string(), z.object(rates)),
      long_context: z.object({ above_tokens: count, ...rates }).optional(),
      units: z.record(z.string(), usd).meta({ description: 'USD per unit, such as a web search' }),
    })
    .optional()
    .meta({ description: 'USD per million tokens' }),
  image: z
    .object({
      per_image: z.array(z.object({ size: z.string(), quality: z.string(), price: usd })),
      ...eachOf(IMAGE_RATE_NAMES, price),
    })
    .optional()
    .meta({ description: 'USD per image, and per million tokens' }),
  video: z
    .object({
      tiers: z.array(z.string()),
      default_tier: z.string().nullable(),
      per_second: z.record(z.string(), usd),
    })
    .optional()
    .meta({ description: 'USD per second, by tier' }),
  audio: z.object(eachOf(AUDIO_RATE_NAMES, price)).optional().meta({
    description:
      'USD per million characters that are spoken, per hour that is transcribed, and per million tokens',
  }),
};
export const pricing = z
  .object({ ...prices, version: z.int(), source: z.string(), source_date: z.string() })
  .meta({ id: 'Pricing' });

const amount = usdAmount.nullish();
const amounts = eachOf(TOKEN_RATE_NAMES, amount);
export const tokenPrices = z.strictObject({
  ...amounts,
  service_tiers: z.record(word, z.strictObject(amounts)).nullish(),
  long_context: z.strictObject({ above_tokens: tokens.min(1), ...amounts }).nullish(),
  units: z.record(word, usdAmount).nullish(),
});

const oneImage = z.strictObject({
  size: z.string().max(64).default(''),
  quality: z.string().max(64).default(''),
  price: usdAmount,
});

/** Prices in USD, in the structure in which models show them. */
export const pricesBody = z.strictObject({
  source: label(500).default('set by an operator'),
  source_date: z.iso.date().default(() => new Date().toISOString().slice(0, 10)),
  tokens: tokenPrices.nullish(),
  image: z
    .strictObject({ per_image: z.array(oneImage).max(200).nullish(), ...eachOf(IMAGE_RATE_NAMES, amount) })
    .nullish(),
  video: z
    .strictObject({
      tiers: words.min(1),
      default_tier: word.nullish(),
      per_second: z.record(word, usdAmount),
    })
    .nullish(),
  audio: z.strictObject(eachOf(AUDIO_RATE_NAMES, amount)).nullish(),
});

/** New prices of an existing model, for the version of its prices that the operator has seen. */
export const setPricesBody = pricesBody.extend({
  if_version: z.int().min(1).nullish().meta({
    description: '`pricing.version` that the change is based on; refused if it is no longer the current one',
  }),
});

export type PricesInput = JsonBody<typeof pricesBody>;
export type PricesChange = JsonBody<typeof setPricesBody>;
