import type { GatewayError } from '@gateway/errors';
import type { KeyScope } from '@gateway/models';
import type { AudioIds } from './audio-ids';
import type { Conversation } from './conversation';
import type { PassThroughChange } from './pass-through-change';
import type { Reply, StreamWriter } from './reply';
import type { RequestSize } from './upper-bound';
import type { BilledUsage } from './usage';

/** How to treat top-level fields that a format does not document; the operator chooses. */
export type UnknownFields = 'refuse' | 'forward';

/** `completions`: the model continues a prompt. `fim`: it fills in the middle between a prompt and a suffix. */
export type CompletionCapability = 'completions' | 'fim';

/** A valid chat call in its caller's format. */
export interface CallerRequest {
  readonly wire: 'openai' | 'completions' | 'anthropic' | 'gemini' | 'responses';
  /** As the caller wrote it: a slug, an alias or a bare name, not resolved yet. */
  readonly model: string;
  readonly stream: boolean;
  /** The caller asked for the usage in its stream. */
  readonly includeUsage: boolean;
  readonly serviceTier: string | undefined;
  readonly size: RequestSize;
  /** Capability that a model needs for the call; absent: none. */
  readonly needs?: CompletionCapability;
  /** How often the reply repeats the prompt, which is no output; absent: never. */
  readonly echoes?: number;
  /** Headers of the caller that are passed to a provider of the same format. */
  readonly passThroughHeaders: Readonly<Record<string, string>>;
  /** Of chat completions: it has `functions`, the older form of tools. Absent: it has not. */
  readonly usesFunctions?: boolean;
  /** Of responses: the caller wants the conversation compacted. Absent: it wants a reply. */
  readonly compacts?: boolean;
  /** The parsed body. */
  readonly parsed: Readonly<Record<string, unknown>>;
  /** Scopes that the key needs for the stored content that the call contains; absent: none. */
  readonly contentScopes?: readonly KeyScope[];
  /**
   * Returns the neutral conversation. It is created on first use: a call that passes through never needs it.
   * @throws GatewayError `invalid_request` for content that no other format can represent and that matters
   */
  conversation(): Conversation;
  /** Returns the caller's bytes with the necessary changes, for a provider of the same format. */
  passThroughBody(change: PassThroughChange): Buffer;
  readonly replies: ReplyFormat;
  /** What the ids in the reply contain, instead of the request's id. */
  readonly replyId?: string;
  /** The reply is stored, so that later calls can refer to it. Absent: it is not. */
  readonly isStored?: boolean;
  /** The account's ids of spoken replies, if the reply is spoken. */
  readonly audioIds?: AudioIds;
  /**
   * Called with the last bytes of a complete reply, when it is billed and before the client receives them; returns what the client
   * receives. Absent: they are sent as they are.
   */
  readonly beforeEnd?: (last: Buffer) => Promise<Buffer>;
}

/** The identity of a translated reply. */
export interface ReplyIdentity {
  /** Of the call, or the `replyId` of its request. */
  readonly requestId: string;
  /** The slug of the model that answers. */
  readonly model: string;
  readonly createdAtMs: number;
}

/** Writes replies in the caller's format. */
export interface ReplyFormat {
  write(reply: Reply, usage: BilledUsage, identity: ReplyIdentity): Buffer;
  /** @param estimatedInput tokens, for formats that report the input before the provider has */
  stream(identity: ReplyIdentity, options: { includeUsage: boolean; estimatedInput: number }): StreamWriter;
  /** Returns a usage, with its cost, for a reply that passes through without figures, or with wrong ones. */
  usage(usage: BilledUsage): object;
  /** The member of a reply that contains it; absent: `usage`. */
  readonly usageMember?: string;
  /** Returns the frame that ends a stream that broke before its first event. */
  errorFrame(error: GatewayError, identity: ReplyIdentity): string;
  /** What a silent stream sends, instead of a comment: google-genai for Python parses comments as JSON (`_iter_response_stream`). */
  readonly keepAlive?: string;
}
