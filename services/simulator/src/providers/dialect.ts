import type { Reply, Wish } from '../domain/reply';
import type { Usage } from '../domain/usage';
import type { StreamFrames } from '../http/play-stream';
import type { AnyRequest } from './play';
import type { Identity, Voice } from './voice';

/** What any provider's request for words says, as far as a call's course depends on it. */
export interface CallRequest extends AnyRequest {
  /** Equal replies to one prompt. */
  readonly n: number;
  readonly wish: Wish;
}

/** All that a reply's body or stream is made of. */
export interface Script<R extends CallRequest> {
  readonly request: R;
  readonly identity: Identity;
  readonly reply: Reply;
  /** Of the whole reply. */
  readonly usage: Usage;
  /** Refused by content policy in a reply of status 200; only asked of a dialect without `contentPolicy`. */
  readonly blocked: boolean;
}

export interface StreamScript {
  readonly frames: StreamFrames;
  /** What the stream itself has told when so many pieces are sent; absent where only its end tells. */
  readonly toldUsage?: (sent: number) => Usage;
}

/** One provider's way to say what is the same for all; the course of a call is `play`'s. */
export interface Dialect<R extends CallRequest> extends Voice {
  /** False where the provider knows no such tokens: then there are none, whatever a directive says. */
  readonly tellsCacheWrites: boolean;
  toBody(script: Script<R>): unknown;
  /** @throws WireError for a reply that the provider would not give */
  toStream(script: Script<R>): StreamScript;
  /** A frame that ends a stream with an error. */
  toErrorFrame(body: unknown): string;
}

/** @throws WireError for what the provider would refuse */
export type ParseBody<R extends CallRequest> = (body: unknown) => R;
