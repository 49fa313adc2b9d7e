export interface Size {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export const sizeText = ({ width, height }: Size) => `${width}x${height}`;
