import type { Directive } from './directive';
import { drawImage, type ImageFormat } from './files/image';
import { type Size, sizeText } from './files/size';
import { type MediaUsage, NO_MEDIA, type Upload } from './media-usage';
import { NO_USAGE, type Usage } from './usage';

/** Requested images, independent of the provider's format. */
export interface ImageSpec {
  readonly text: string;
  readonly n: number;
  readonly size: Size;
  readonly format: ImageFormat;
  readonly quality: string | null;
  readonly uploads: readonly Upload[];
  /** Tokens of the prompt's text. */
  readonly textTokens: number;
  readonly inputImageTokens: number;
  readonly tokensPerImage: number;
}

export interface ImageUsage {
  readonly usage: Usage;
  readonly media: MediaUsage;
}

/** Draws as many images as requested, or as many as the directive sets. */
export function drawImages(spec: ImageSpec, { images = spec.n }: Directive): Buffer[] {
  return Array.from({ length: images }, (_, i) => drawImage(spec.format, spec.size, seedOf(spec, i)));
}

/** Equal requests return equal images; another prompt or other input images return different ones. */
export function seedOf({ text, uploads }: Pick<ImageSpec, 'text' | 'uploads'>, index: number): string {
  return JSON.stringify([text, uploads.map(({ part, sha256 }) => [part, sha256]), index]);
}

/**
 * Returns what a provider charges that bills images in tokens.
 * @param saidTokens tokens of the text that accompanies the images
 */
export function billOf(
  spec: ImageSpec,
  images: number,
  { usage = {} }: Directive,
  saidTokens = 0,
): ImageUsage {
  const promptTokens = usage.prompt_tokens ?? spec.textTokens + spec.inputImageTokens;
  const completionTokens = usage.completion_tokens ?? saidTokens + images * spec.tokensPerImage;
  const media = {
    ...NO_MEDIA,
    images,
    size: sizeText(spec.size),
    quality: spec.quality,
    inputImageTokens: Math.min(promptTokens, spec.inputImageTokens),
    outputImageTokens: Math.max(0, completionTokens - saidTokens),
    uploads: spec.uploads,
  };
  const cachedTokens = usage.cached_tokens ?? 0;
  return { usage: { ...NO_USAGE, promptTokens, completionTokens, cachedTokens }, media };
}
