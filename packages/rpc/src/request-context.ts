import type { Logger } from '@gateway/process';

/** What every handler gets first. */
export interface RequestContext {
  readonly requestId: string;
  /** Aborted when the caller left or its deadline passed. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}
