import type { ImageFeatures } from '../../api/models';
import type { ImageRequest, MadeImages } from '../../api/playground';

export interface ImageCall {
  readonly request: ImageRequest;
  readonly made: MadeImages;
}

/** What a form for images chooses; left open, it is the model's own. */
export interface ImageOrder {
  readonly prompt: string;
  readonly size: string;
  readonly quality: string;
  readonly n: number;
}

/** Without what the model has no choice of. */
export function toImageFields({ prompt, size, quality, n }: ImageOrder, image: ImageFeatures | null) {
  return {
    prompt,
    ...(image?.sizes.includes(size) && { size }),
    ...(image?.qualities.includes(quality) && { quality }),
    ...(n > 1 && { n: Math.min(n, image?.max_n ?? 1) }),
  };
}

const TYPES: readonly (readonly [start: string, type: string])[] = [
  ['iVBOR', 'png'],
  ['/9j/', 'jpeg'],
  ['UklGR', 'webp'],
];

export interface ShownImage {
  readonly src: string;
  /** The end of its file's name. */
  readonly extension: string;
}

/** Undefined for what is no picture that a page may show. */
export function toShownImage({ b64_json, url }: { b64_json?: string; url?: string }): ShownImage | undefined {
  if (b64_json) {
    const type = TYPES.find(([start]) => b64_json.startsWith(start))?.[1] ?? 'png';
    return { src: `data:image/${type};base64,${b64_json}`, extension: type };
  }
  return url && /^(https:|data:image\/)/.test(url) ? { src: url, extension: 'png' } : undefined;
}
