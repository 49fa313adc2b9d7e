import type { MediaFile, Upload } from '../../domain/upload';
import type { UpstreamTimeouts } from '../../domain/upstream';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** What a caller wants made, checked against what the model offers. Absent: the provider's own choice. */
export interface ImageOrder {
  /** What the model is called at the provider. */
  readonly upstreamModel: string;
  readonly prompt: string;
  /** How many. */
  readonly n: number;
  readonly size?: ImageSize;
  readonly quality?: string;
  /** Of the files made: `png`, `jpeg`, `webp`. */
  readonly format?: string;
  readonly background?: string;
  /** 0–100, of jpeg and webp. */
  readonly compression?: number;
  /** Fields of the caller's format that only some providers know, e.g. `moderation`. */
  readonly hints: Readonly<Record<string, string>>;
  /** Links will do, where the provider makes such: nobody needs to fetch the files then. */
  readonly linksWillDo: boolean;
  /** For an edit; none: made from the prompt alone. */
  readonly images: readonly MediaFile[];
  readonly mask?: Upload;
  /** What is paid for, of images and words together; absent: each image has its price. */
  readonly maxOutputTokens?: number;
}

/** What goes with every call to a provider. */
export interface ProviderCall {
  readonly requestId: string;
  /** Aborted when the job is given up for good, not when its caller leaves. */
  readonly signal: AbortSignal;
  readonly timeouts: UpstreamTimeouts;
  /** By now the answer is kept for a later call, before which a provider's link would expire. */
  readonly isAnswerKept?: () => boolean;
}

/** One image: its bytes in base64, or where the provider keeps it for a while. */
export type MadeImage = { readonly mime: string } & (
  | { readonly base64: string }
  | { readonly url: string; readonly expiresAtMs?: number }
);

/** Tokens as the provider counted them. */
export interface ImageTokens {
  readonly textInput: number;
  readonly imageInput: number;
  /** Of the images made. */
  readonly output: number;
  /** Words and thoughts beside them; absent: none. */
  readonly textOutput?: number;
}

export interface ImageResult {
  /** As many as the provider made, which may be fewer than were ordered. */
  readonly images: readonly MadeImage[];
  /** Where the provider tells them. */
  readonly tokens?: ImageTokens;
  /** What it counted the images sent as, where it tells. */
  readonly inputMegapixels?: number;
  readonly revisedPrompt?: string;
}

/** One provider's way with images. A polling one polls inside. */
export interface ImageProvider {
  readonly id: string;
  /** It takes links in place of files, and fetches them itself. */
  readonly takesLinks: boolean;
  /**
   * @throws UpstreamError how the provider failed; `unreachable` alone says that the order can't have arrived
   * @throws MediaRefused it would not make this
   */
  generate(order: ImageOrder, call: ProviderCall): Promise<ImageResult>;
}
