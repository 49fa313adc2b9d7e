import type { ImageFeatures } from '../../api/models';
import type { ImageReply, ImageRequest } from '../../api/playground';
import type { ChosenFile } from './chosen-file';

/** An image request: an edit if it has images. */
export interface ImageGeneration {
  readonly request: ImageRequest;
  readonly images: readonly ChosenFile[];
  readonly mask?: ChosenFile | undefined;
}

export interface ImageCall {
  readonly request: ImageRequest;
  /** Names of the edited files. */
  readonly edited: readonly string[];
  readonly result: ImageReply;
}

/** Identifies the request when it is sent again. */
export const identityOf = ({ request, images, mask }: ImageGeneration): object => ({
  request,
  images: images.map(({ id }) => id),
  mask: mask?.id,
});

/** Values of the image form; an unset value is the model's default. */
export interface ImageFormValues {
  readonly prompt: string;
  readonly size: string;
  readonly quality: string;
  readonly n: number;
}

/** Drops values that the model does not support. */
export function toImageFields({ prompt, size, quality, n }: ImageFormValues, image: ImageFeatures | null) {
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
  /** File name extension. */
  readonly extension: string;
}

/** Returns undefined for data that is not an image a page may show. */
export function toShownImage({ b64_json, url }: { b64_json?: string; url?: string }): ShownImage | undefined {
  if (b64_json) {
    const type = TYPES.find(([start]) => b64_json.startsWith(start))?.[1] ?? 'png';
    return { src: `data:image/${type};base64,${b64_json}`, extension: type };
  }
  return url && /^(https:|data:image\/)/.test(url) ? { src: url, extension: 'png' } : undefined;
}

/** Returns a generated image as a file for editing; undefined for an image that is only a link. */
export function toFile({ src, extension }: ShownImage, name: string): File | undefined {
  const [, base64] = /^data:image\/\w+;base64,(.*)$/s.exec(src) ?? [];
  if (base64 === undefined) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new File([bytes], `${name}.${extension}`, { type: `image/${extension}` });
}
