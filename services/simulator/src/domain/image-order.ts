import type { Directive } from './directive';
import { drawImage, type ImageFormat } from './files/image';
import { type Size, sizeText } from './files/size';
import { type MediaBill, NO_MEDIA, type Upload } from './media-bill';
import { NO_USAGE, type Usage } from './usage';

/** Images asked for in any provider's format. */
export interface ImageOrder {
  readonly text: string;
  readonly n: number;
  readonly size: Size;
  readonly format: ImageFormat;
  readonly quality: string | null;
  readonly uploads: readonly Upload[];
  /** Tokens. */
  readonly textTokens: number;
  readonly inputImageTokens: number;
  readonly tokensPerImage: number;
}

export interface ImageBill {
  readonly usage: Usage;
  readonly media: MediaBill;
}

/** As many as were asked for, unless the directive says how many come of it. */
export function drawOrder(order: ImageOrder, { images = order.n }: Directive): Buffer[] {
  return Array.from({ length: images }, (_, i) => drawImage(order.format, order.size, seedOf(order, i)));
}

/** The same request gives the same images; another prompt or other bytes sent give others. */
export function seedOf({ text, uploads }: Pick<ImageOrder, 'text' | 'uploads'>, index: number): string {
  return JSON.stringify([text, uploads.map(({ part, sha256 }) => [part, sha256]), index]);
}

/**
 * What a provider charges that counts images in tokens.
 * @param saidTokens of the words that come with the images
 */
export function billOf(
  order: ImageOrder,
  images: number,
  { usage = {} }: Directive,
  saidTokens = 0,
): ImageBill {
  const promptTokens = usage.prompt_tokens ?? order.textTokens + order.inputImageTokens;
  const completionTokens = usage.completion_tokens ?? saidTokens + images * order.tokensPerImage;
  const media = {
    ...NO_MEDIA,
    images,
    size: sizeText(order.size),
    quality: order.quality,
    inputImageTokens: Math.min(promptTokens, order.inputImageTokens),
    outputImageTokens: Math.max(0, completionTokens - saidTokens),
    uploads: order.uploads,
  };
  const cachedTokens = usage.cached_tokens ?? 0;
  return { usage: { ...NO_USAGE, promptTokens, completionTokens, cachedTokens }, media };
}
