/** A file received with a call. */
export interface Upload {
  /** The form part or body field that contained it. */
  readonly part: string;
  readonly bytes: number;
  /** Of its bytes, in hex. */
  readonly sha256: string;
  /** Set if the provider charges for input megapixels. */
  readonly megapixels?: number;
}

/** Usage of images and videos, with what distinguishes one call's from another's. */
export interface MediaUsage {
  readonly images: number;
  /** `<width>x<height>` in pixels. */
  readonly size: string | null;
  readonly quality: string | null;
  /** Included in the call's prompt tokens. */
  readonly inputImageTokens: number;
  /** Included in the call's completion tokens. */
  readonly outputImageTokens: number;
  /** Seconds of video. */
  readonly seconds: number;
  /** Determines the price per second of video. */
  readonly tier: string | null;
  /** Set for a call that submitted a task, and for the end of a task. */
  readonly taskId: string | null;
  readonly uploads: readonly Upload[];
}

export const NO_MEDIA: MediaUsage = {
  images: 0,
  size: null,
  quality: null,
  inputImageTokens: 0,
  outputImageTokens: 0,
  seconds: 0,
  tier: null,
  taskId: null,
  uploads: [],
};
