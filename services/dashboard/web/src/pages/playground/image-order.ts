import type { ImageFeatures } from '../../api/models';
import type { ImageRequest, MadeImages } from '../../api/playground';
import type { ChosenFile } from './chosen-file';

/** What is to be made: an edit of the images, where there are some. */
export interface ImageWish {
  readonly request: ImageRequest;
  readonly images: readonly ChosenFile[];
  readonly mask?: ChosenFile | undefined;
}

export interface ImageCall {
  readonly request: ImageRequest;
  /** Names of the files that were edited. */
  readonly edited: readonly string[];
  readonly made: MadeImages;
}

/** What makes it the same order when it is sent again. */
export const identityOf = ({ request, images, mask }: ImageWish): object => ({
  request,
  images: images.map(({ id }) => id),
  mask: mask?.id,
});

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

/** A made image as a file, to be edited further; undefined for one that is only a link. */
export function toFile({ src, extension }: ShownImage, name: string): File | undefined {
  const [, base64] = /^data:image\/\w+;base64,(.*)$/s.exec(src) ?? [];
  if (base64 === undefined) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new File([bytes], `${name}.${extension}`, { type: `image/${extension}` });
}
