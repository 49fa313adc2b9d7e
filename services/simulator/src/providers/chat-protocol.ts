import type { Reply, ReplyOptions } from '../domain/reply';
import type { Usage } from '../domain/usage';
import type { StreamFrames } from '../http/write-stream';
import type { ParsedRequest } from './handle-call';
import type { Identity, ProviderProtocol } from './protocol';

/** What any provider's request for words says, as far as a call's course depends on it. */
export interface TextRequest extends ParsedRequest {
  /** Equal replies to one prompt. */
  readonly n: number;
  readonly options: ReplyOptions;
}

/** All that a reply's body or stream is made of. */
export interface ReplyContext<R extends TextRequest> {
  readonly request: R;
  readonly identity: Identity;
  readonly reply: Reply;
  /** Of the whole reply. */
  readonly usage: Usage;
  /** Refused by content policy in a reply of status 200; only asked of a dialect without `contentPolicy`. */
  readonly blocked: boolean;
}

export interface ReplyStream {
  readonly frames: StreamFrames;
  /** What the stream itself has told when so many pieces are sent; absent where only its end tells. */
  readonly reportedUsage?: (sent: number) => Usage;
}

/** One provider's way to say what is the same for all; the course of a call is `play`'s. */
export interface ChatProtocol<R extends TextRequest> extends ProviderProtocol {
  /** False where the provider knows no such tokens: then there are none, whatever a directive says. */
  readonly reportsCacheWrites: boolean;
  toBody(context: ReplyContext<R>): unknown;
  /** @throws ProviderError for a reply that the provider would not give */
  toStream(context: ReplyContext<R>): ReplyStream;
  /** A frame that ends a stream with an error. */
  toErrorFrame(body: unknown): string;
}

/** @throws ProviderError for what the provider would refuse */
export type ParseBody<R extends TextRequest> = (body: unknown) => R;
