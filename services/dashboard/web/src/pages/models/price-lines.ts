import type { ListedPricing } from '@gateway/pricing';
import { formatMoney } from '../../ui/format-money';

export interface PriceLine {
  readonly price: string;
  readonly unit: string;
}

/** Returns a model's prices in short; token prices are per million tokens. */
export function priceLines(pricing: ListedPricing | null): PriceLine[] {
  if (!pricing) return [];
  const { tokens, image, video, audio } = pricing;
  return [
    ...line(tokens?.input, 'in'),
    ...line(tokens?.output, 'out'),
    ...line(tokens?.cache_read, 'cached'),
    ...line(tokens?.audio_input, 'audio in'),
    ...line(tokens?.audio_output, 'audio out'),
    ...line(tokens?.units.search_unit, 'per search'),
    ...imageLine((image?.per_image ?? []).map(({ price }) => price)),
    ...line(image?.text_input, 'text in'),
    ...line(image?.image_input, 'image in'),
    ...line(image?.image_output, 'image out'),
    ...line(image?.text_output, 'text out'),
    ...line(image?.input_megapixel, 'per input megapixel'),
    ...(video?.tiers ?? []).flatMap((tier) =>
      line(video?.per_second[tier], video?.tiers.length === 1 ? 'per second' : `per second, ${tier}`),
    ),
    ...line(audio?.million_characters, 'per million characters'),
    ...line(audio?.hour, 'per hour'),
    ...line(audio?.text_input, 'text in'),
    ...line(audio?.audio_input, 'audio in'),
    ...line(audio?.text_output, 'text out'),
    ...line(audio?.audio_output, 'audio out'),
  ];
}

const line = (price: number | undefined, unit: string): PriceLine[] =>
  price === undefined ? [] : [{ price: formatMoney(price), unit }];

function imageLine(prices: readonly number[]): PriceLine[] {
  if (prices.length === 0) return [];
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  const price = least === most ? formatMoney(least) : `${formatMoney(least)} – ${formatMoney(most)}`;
  return [{ price, unit: 'per image' }];
}
