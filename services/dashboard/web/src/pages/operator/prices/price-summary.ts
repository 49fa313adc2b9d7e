import type { ListedPricing } from '@gateway/pricing';
import { formatMoney } from '../../../ui/format-money';

/** Returns a model's prices, a line for each kind. */
export function priceSummary(pricing: ListedPricing | null): string[] {
  if (!pricing) return [];
  const { tokens, image, video } = pricing;
  const perImage = image?.per_image.map(({ price }) => price) ?? [];
  const perSecond = Object.values(video?.per_second ?? {});
  return [
    ...(tokens?.input === undefined && tokens?.output === undefined
      ? []
      : [`${money(tokens.input)} in, ${money(tokens.output)} out per million tokens`]),
    ...(perImage.length === 0 ? [] : [`${range(perImage)} per image`]),
    ...(image?.image_output === undefined
      ? []
      : [`${formatMoney(image.image_output)} per million image tokens`]),
    ...(perSecond.length === 0 ? [] : [`${range(perSecond)} per second`]),
  ];
}

const money = (usd: number | undefined): string => (usd === undefined ? '–' : formatMoney(usd));

function range(prices: readonly number[]): string {
  const least = Math.min(...prices);
  const most = Math.max(...prices);
  return least === most ? formatMoney(least) : `${formatMoney(least)} to ${formatMoney(most)}`;
}
