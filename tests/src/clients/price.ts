import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeterEntry } from '../support/meter';

/** USD per million tokens, as decimal strings. */
interface Prices {
  readonly input: string;
  readonly output: string;
  readonly cache_read?: string;
  readonly cache_write?: string;
}

type Metered = Pick<
  MeterEntry,
  'prompt_tokens' | 'cached_tokens' | 'cache_write_tokens' | 'completion_tokens'
>;

const CATALOG = join(__dirname, '../../../deploy/catalog');
const TOKENS_PER_PRICE = 1_000_000n;

/** Returns a call's cost in nano-USD, rounded up, from the catalog's file and the simulator's meter. */
export function costNano(model: string, metered: Metered): bigint {
  const prices = pricesOf(model);
  const { prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens } = metered;
  const input = prompt_tokens - cached_tokens - cache_write_tokens;
  const total =
    BigInt(input) * nano(prices.input) +
    BigInt(cached_tokens) * nano(prices.cache_read ?? prices.input) +
    BigInt(cache_write_tokens) * nano(prices.cache_write ?? prices.input) +
    BigInt(completion_tokens) * nano(prices.output);
  return (total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE;
}

function pricesOf(slug: string): Prices {
  const file = join(CATALOG, `${slug.slice(0, slug.indexOf('/'))}.json`);
  const { models } = JSON.parse(readFileSync(file, 'utf8'));
  return models.find((model: { slug: string }) => model.slug === slug).pricing.tokens;
}

function nano(usd: string): bigint {
  const [whole, fraction = ''] = usd.split('.');
  return BigInt(`${whole}${fraction.padEnd(9, '0')}`);
}
