import { labelOf, perOf } from '@gateway/pricing';
import type { PricesInput } from '../../../api/admin-models';

export interface PriceChange {
  readonly what: string;
  /** Unit of the price: `per million tokens`. */
  readonly unit: string;
  /** USD; undefined: no price. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

const PER_SECOND = 'per second';
/**
 * Changes from this factor on are highlighted: a misplaced decimal point or a wrong unit is a factor of ten or more.
 */
const LARGE_FACTOR = 5;

/** Returns the prices that would change. */
export function priceChanges(before: PricesInput | null, after: PricesInput): PriceChange[] {
  const old = flat(before ?? {});
  const next = flat(after);
  return [...new Map([...old, ...next])]
    .map(([what, { unit }]) => ({ what, unit, before: old.get(what)?.usd, after: next.get(what)?.usd }))
    .filter((change) => change.before !== change.after);
}

/** Describes a possible typing error: `100 times less`; undefined for a plausible change. */
export function pointOut({ before, after }: PriceChange): string | undefined {
  if (after === 0) return 'free of charge';
  if (before === 0 && after !== undefined) return 'no longer free';
  if (before === undefined || after === undefined) return undefined;
  const factor = Math.max(before, after) / Math.min(before, after);
  if (factor < LARGE_FACTOR) return undefined;
  const digits = factor.toLocaleString('en-US', { maximumFractionDigits: factor < 10 ? 1 : 0 });
  return `${digits} times ${after > before ? 'more' : 'less'}`;
}

interface Price {
  readonly usd: number;
  readonly unit: string;
}

function flat({ tokens, image, video, audio }: PricesInput): Map<string, Price> {
  const found = new Map<string, Price>();
  const put = (prefix: string, rates: object) => {
    for (const [name, usd] of Object.entries(rates)) {
      if (typeof usd !== 'number' || name === 'above_tokens') continue;
      found.set(`${prefix}${name.replaceAll('_', ' ')}`, { usd, unit: perOf(name) });
    }
  };
  if (tokens) {
    const { service_tiers, long_context, units, ...standard } = tokens;
    put('', standard);
    for (const [tier, rates] of Object.entries(service_tiers ?? {})) put(`${tier}, `, rates);
    if (long_context) put(`above ${long_context.above_tokens} tokens, `, long_context);
  }
  for (const [unit, usd] of Object.entries(tokens?.units ?? {}))
    found.set(labelOf(unit).toLowerCase(), { usd, unit: 'per use' });
  if (image) {
    const { per_image, ...rates } = image;
    for (const { size, quality, price } of per_image ?? []) {
      found.set(['image', size, quality].filter(Boolean).join(' '), { usd: price, unit: 'per image' });
    }
    put('images, ', rates);
  }
  if (audio) put('audio, ', audio);
  const perSecond = Object.entries(video?.per_second ?? {});
  for (const [tier, usd] of perSecond) found.set(`video, ${tier}`, { usd, unit: PER_SECOND });
  const byDefault = video?.per_second[video.default_tier ?? ''];
  if (byDefault !== undefined) found.set('video, default tier', { usd: byDefault, unit: PER_SECOND });
  return found;
}
