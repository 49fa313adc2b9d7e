import type { PricesInput } from '../../api/admin-models';

export interface PriceChange {
  readonly what: string;
  /** USD; undefined: it was not, or will no longer be, sold. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** What would cost otherwise. */
export function priceChanges(before: PricesInput | null, after: PricesInput): PriceChange[] {
  const old = flat(before ?? {});
  const next = flat(after);
  return [...new Set([...old.keys(), ...next.keys()])]
    .filter((what) => old.get(what) !== next.get(what))
    .map((what) => ({ what, before: old.get(what), after: next.get(what) }));
}

function flat({ tokens, image, video }: PricesInput): Map<string, number> {
  const found = new Map<string, number>();
  const put = (prefix: string, rates: object) => {
    for (const [name, price] of Object.entries(rates)) {
      if (typeof price === 'number' && name !== 'above_tokens') {
        found.set(`${prefix}${name.replaceAll('_', ' ')}`, price);
      }
    }
  };
  if (tokens) {
    const { service_tiers, long_context, ...standard } = tokens;
    put('', standard);
    for (const [tier, rates] of Object.entries(service_tiers ?? {})) put(`${tier}, `, rates);
    if (long_context) put(`above ${long_context.above_tokens} tokens, `, long_context);
  }
  if (image) {
    const { per_image, ...rates } = image;
    for (const { size, quality, price } of per_image) {
      found.set(['image', size, quality].filter(Boolean).join(' '), price);
    }
    put('images, ', rates);
  }
  for (const [tier, price] of Object.entries(video?.per_second ?? {})) found.set(`second of ${tier}`, price);
  const unnamed = video?.per_second[video.default_tier ?? ''];
  if (unnamed !== undefined) found.set('second where no tier is named', unnamed);
  return found;
}
