import type { ImageSize } from './image-provider';

const SIZE = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/;

/** Parses `1024x1024`; undefined for an invalid size. */
export function parseImageSize(text: string): ImageSize | undefined {
  const [, width, height] = SIZE.exec(text) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

export const imageSizeText = ({ width, height }: ImageSize): string => `${width}x${height}`;
