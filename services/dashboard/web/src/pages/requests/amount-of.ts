import type { RequestRecord } from '../../api/requests';
import { formatCompact } from '../../ui/format-count';

/** Returns a request's usage in short: `1,234 → 56 tokens`, `2 images`, `5 s`. */
export function amountOf(record: RequestRecord): string {
  const { input_tokens, output_tokens, images, seconds } = record;
  const parts = [
    ...(input_tokens + output_tokens > 0
      ? [`${formatCompact(input_tokens)} → ${formatCompact(output_tokens)} tokens`]
      : []),
    ...(images > 0 ? [images === 1 ? '1 image' : `${images} images`] : []),
    ...(seconds > 0 ? [`${seconds} s of video`] : []),
  ];
  return parts.join(', ') || '–';
}
