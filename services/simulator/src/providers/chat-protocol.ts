import type { Reply, ReplyOptions } from '../domain/reply';
import type { SpokenRequest } from '../domain/spoken-reply';
import type { Tokenizer } from '../domain/tokenizer';
import type { Usage } from '../domain/usage';
import type { StreamFrames } from '../http/write-stream';
import type { ParsedRequest } from './handle-call';
import type { Identity, ProviderProtocol } from './protocol';

/** A request for text, reduced to what the handling of the call depends on. */
export interface TextRequest extends ParsedRequest {
  /** Number of equal choices. */
  readonly n: number;
  readonly options: ReplyOptions;
  /** The reply is spoken. */
  readonly spoken?: SpokenRequest;
  /** Absent: counted by the rule of chat prompts. */
  readonly promptTokens?: (tokenizer: Tokenizer) => number;
}

/** Everything that a reply's body or stream is made of. */
export interface ReplyContext<R extends TextRequest> {
  readonly request: R;
  readonly identity: Identity;
  readonly reply: Reply;
  /** Usage of the complete reply. */
  readonly usage: Usage;
  /** Refused by the content policy in a reply with status 200; set only for protocols without `contentPolicy`. */
  readonly blocked: boolean;
}

export interface ReplyStream {
  readonly frames: StreamFrames;
  /** The usage that the stream has reported after so many pieces; absent if it reports usage only at its end. */
  readonly reportedUsage?: (sent: number) => Usage;
}

/** A provider's chat format; `handle-chat.ts` contains what is common to all. */
export interface ChatProtocol<R extends TextRequest> extends ProviderProtocol {
  /** False if the provider reports no cache writes: there are none then, whatever the directive sets. */
  readonly reportsCacheWrites: boolean;
  toBody(context: ReplyContext<R>): unknown;
  /** @throws ProviderError for a request that the provider would refuse */
  toStream(context: ReplyContext<R>): ReplyStream;
  /** Returns a frame that ends a stream with an error. */
  toErrorFrame(body: unknown): string;
}

/** @throws ProviderError for a body that the provider would refuse */
export type ParseBody<R extends TextRequest> = (body: unknown) => R;
