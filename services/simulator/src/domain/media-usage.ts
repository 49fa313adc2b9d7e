/** A file that arrived with a call, as it arrived. */
export interface Upload {
  /** The part of a form, or the field of a body, that held it. */
  readonly part: string;
  readonly bytes: number;
  /** Hex, of its bytes. */
  readonly sha256: string;
  /** Where the provider charges for them. */
  readonly megapixels?: number;
}

/** What images and videos cost, and what tells one call's from another's. */
export interface MediaUsage {
  readonly images: number;
  /** `<width>x<height>` in pixels. */
  readonly size: string | null;
  readonly quality: string | null;
  /** Within the call's prompt tokens. */
  readonly inputImageTokens: number;
  /** Within the call's completion tokens. */
  readonly outputImageTokens: number;
  /** Of video. */
  readonly seconds: number;
  /** What a video's price per second depends on. */
  readonly tier: string | null;
  /** Of a call that submitted a task, and of the task's end. */
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
