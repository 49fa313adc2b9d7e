import type { ProviderConnection } from '@gateway/upstream';
import type { MediaFile, Upload } from '../../domain/upload';
import type { UpstreamTimeouts } from '../../domain/upstream';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** An image order that the model supports. Absent: the provider's default. */
export interface ImageOrder {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  readonly prompt: string;
  /** Number of images. */
  readonly n: number;
  readonly size?: ImageSize;
  readonly quality?: string;
  /** Format of the generated files: `png`, `jpeg`, `webp`. */
  readonly format?: string;
  readonly background?: string;
  /** 0–100, for jpeg and webp. */
  readonly compression?: number;
  /** Fields of the caller's format that only some providers know, such as `moderation`. */
  readonly hints: Readonly<Record<string, string>>;
  /** Whether links to the images suffice, so that their files need not be fetched. */
  readonly acceptsLinks: boolean;
  /** For an edit; none: generated from the prompt only. */
  readonly images: readonly MediaFile[];
  readonly mask?: Upload;
  /** Maximum tokens of images and text together; absent: each image has its own price. */
  readonly maxOutputTokens?: number;
  /** Number of partial images to order; absent: none, as from providers that send none. */
  readonly partialImages?: number;
}

/** The context of every call to a provider. */
export interface ProviderCall {
  readonly requestId: string;
  /** Aborted when the job is given up, not when its client disconnects. */
  readonly signal: AbortSignal;
  readonly timeouts: UpstreamTimeouts;
  /** Whether the response is stored for a repeated call, by which time a provider's link would have expired. */
  readonly isResponseStored?: () => boolean;
}

/** The image in its making. */
export interface PartialImage {
  readonly base64: string;
  /** From 0. */
  readonly index: number;
}

export interface ImageCall extends ProviderCall {
  /** Takes a partial image; resolves when the next one may come. */
  readonly onPartial?: (image: PartialImage) => Promise<void>;
}

/** One image: its bytes in base64, or a temporary link. */
export type GeneratedImage = { readonly mime: string } & (
  | { readonly base64: string }
  | { readonly url: string; readonly expiresAtMs?: number }
);

/** Tokens as the provider counted them. */
export interface ImageTokens {
  readonly textInput: number;
  readonly imageInput: number;
  /** Of the generated images. */
  readonly output: number;
  /** Text and reasoning that accompany them; absent: none. */
  readonly textOutput?: number;
}

export interface ImageResult {
  /** The images that the provider generated, which may be fewer than ordered. */
  readonly images: readonly GeneratedImage[];
  /** If the provider reports them. */
  readonly tokens?: ImageTokens;
  /** Megapixels that the provider counted for the input images, if it reports them. */
  readonly inputMegapixels?: number;
  readonly revisedPrompt?: string;
}

/**
 * Checks the credential by a call that the provider does not charge; absent: there is none.
 * @throws UpstreamError how the provider refused the credential, or failed
 */
export type CredentialProbe = (call: ProviderCall) => Promise<void>;

/** A provider of images. Providers with tasks poll internally. */
export interface ImageProvider {
  readonly id: string;
  /** How it is reached; absent: as every provider. */
  readonly connection?: ProviderConnection;
  /** It accepts links in place of files, and fetches them itself. */
  readonly fetchesLinks: boolean;
  /** Whether it can send partial images of an order for one image. */
  readonly sendsPartialImages?: boolean;
  /**
   * @throws UpstreamError how the provider failed; only `unreachable` means that the order can't have arrived
   * @throws MediaRefused when it refuses the order
   */
  generate(order: ImageOrder, call: ImageCall): Promise<ImageResult>;
  /** @see CredentialProbe */
  readonly probe?: CredentialProbe;
}
