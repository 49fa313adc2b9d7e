import type { Logger } from '@gateway/process';

/** First argument of every handler. */
export interface RequestContext {
  readonly requestId: string;
  /** Aborted when the client disconnected or the deadline passed. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}
