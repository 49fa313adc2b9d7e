import type { JsonObject } from '@gateway/upstream';
import type { UpstreamAddress } from './upstream-address';
import type { Vector } from './vector';

/** What the inputs are used for, in the words of Cohere and of Voyage AI, which says `document` and `query`. */
export const INPUT_TYPES = [
  'search_document',
  'search_query',
  'classification',
  'clustering',
  'document',
  'query',
] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** The inputs of a call: all of them texts, or all of them tokens of the model's own encoding. At least one; none is empty. */
export type EmbeddingInputs =
  | { readonly kind: 'texts'; readonly list: readonly string[] }
  | { readonly kind: 'tokens'; readonly list: readonly (readonly number[])[] };

/** A valid call for embeddings. */
export interface EmbeddingRequest {
  /** As the caller wrote it. */
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  /** How the caller receives the vectors. */
  readonly encoding: VectorEncoding;
  /** Absent: the model's own. */
  readonly dimensions?: number;
  /** A hint: providers without it ignore it. */
  readonly inputType?: InputType;
  /** The same in Google's words, if the caller used them. */
  readonly taskType?: string;
  /** Of each input, for Google's models: a hint. */
  readonly titles?: readonly (string | undefined)[];
  /** The caller's id of an end user. */
  readonly user?: string;
}

/** What the caller gets. */
export interface EmbeddingsReply {
  /** The slug to name. */
  readonly model: string;
  readonly vectors: readonly Vector[];
  readonly encoding: VectorEncoding;
  readonly inputTokens: number;
}

/** Writes a reply in the caller's format. @throws Error for a malformed vector; ReplyTooLarge */
export type WriteEmbeddings = (reply: EmbeddingsReply) => Promise<Buffer>;

/** `base64`: of the vector as float32, little-endian. */
export type VectorEncoding = 'float' | 'base64';

/** How a provider creates embeddings. */
export interface EmbeddingProtocol {
  /** Absent: the provider returns floats, whatever the caller asks for. */
  readonly returnsBase64?: boolean;
  /** Returns the address of a call and its headers, with the credential. */
  address(upstreamModel: string): UpstreamAddress | Promise<UpstreamAddress>;
  /** @throws GatewayError `invalid_request` for anything that the provider lacks and the caller would miss */
  writeRequest(request: EmbeddingRequest, upstreamModel: string): Buffer;
  /**
   * @param vectorAt reads the value that is a vector
   * @throws Error for a reply of another shape
   */
  readReply(reply: JsonObject, vectorAt: (value: unknown) => Vector): EmbeddingReply;
}

/** A provider's reply. */
export interface EmbeddingReply {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[];
  /** Undefined if the provider reports none, or no credible figure. */
  readonly inputTokens: number | undefined;
}
