import type { JsonObject } from '@gateway/upstream';
import type { UpstreamAddress } from './upstream-address';

export type ModerationPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** A valid call for a moderation. */
export interface ModerationRequest {
  /** As the caller wrote it. */
  readonly model: string;
  /** A text, texts with a result for each, or parts with one result for all. */
  readonly input: string | readonly string[] | readonly ModerationPart[];
  readonly texts: readonly string[];
  readonly images: number;
  /** Links of images; undefined: none. */
  readonly links?: readonly string[];
  /** Number of results. */
  readonly results: number;
}

/** How a provider moderates. */
export interface ModerationProtocol {
  address(): UpstreamAddress;
  /** @throws GatewayError `invalid_request` for images if the provider takes texts only */
  writeRequest(request: ModerationRequest, upstreamModel: string): Buffer;
  /** @throws Error for a reply of another shape */
  readReply(reply: JsonObject): ModerationReply;
}

export interface ModerationReply {
  /** The provider's id of the moderation. */
  readonly id: string;
  /** In OpenAI's format. */
  readonly results: readonly JsonObject[];
  /** Undefined if the provider reports none, or no credible figure. */
  readonly inputTokens: number | undefined;
}
