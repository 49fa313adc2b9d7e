import type { GatewayError } from '@gateway/errors';
import type { Conversation } from './conversation';
import type { PassedChange } from './passed-change';
import type { Reply, StreamWriter } from './reply';
import type { RequestSize } from './upper-bound';
import type { TokenUsage } from './usage';

/** What becomes of top-level fields that a format does not document: an operator's choice. */
export type UnknownFields = 'refuse' | 'forward';

/** A valid chat call in its caller's format. */
export interface CallerRequest {
  readonly wire: 'openai' | 'anthropic';
  /** As the caller wrote it; not yet known to be a slug. */
  readonly model: string;
  readonly stream: boolean;
  /** The caller wants the usage in its stream. */
  readonly includeUsage: boolean;
  readonly serviceTier: string | undefined;
  readonly size: RequestSize;
  /** Headers of the caller that a provider of the same format gets. */
  readonly passedHeaders: Readonly<Record<string, string>>;
  /** The body, parsed. */
  readonly parsed: Readonly<Record<string, unknown>>;
  /**
   * In no provider's words. Made when first asked for: a call that passes through never needs it.
   * @throws GatewayError `invalid_request` for what no other format can carry and matters
   */
  conversation(): Conversation;
  /** The caller's bytes but for what must change, for a provider of the same format. */
  passedBody(change: PassedChange): Buffer;
  readonly replies: ReplyFormat;
}

/** By what a translated reply is known. */
export interface ReplyIdentity {
  readonly requestId: string;
  /** The slug that the caller named. */
  readonly model: string;
  readonly createdAtMs: number;
}

/** Writes replies as the caller reads them. */
export interface ReplyFormat {
  write(reply: Reply, usage: TokenUsage, identity: ReplyIdentity): Buffer;
  /** @param estimatedInput tokens, for formats that tell the input before the provider has */
  stream(identity: ReplyIdentity, options: { includeUsage: boolean; estimatedInput: number }): StreamWriter;
  /** The frame in which a broken stream ends. */
  errorFrame(error: GatewayError): string;
}
