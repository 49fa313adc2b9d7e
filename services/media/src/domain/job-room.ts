import { GatewayError } from '@gateway/proto';
import { SHARES, SpoolBudget } from './spool-budget';

export interface JobRoomOptions {
  /** Under way at once. */
  readonly maxJobs: number;
  /** Of the replies of them all; one account's may take a part of it. */
  readonly maxBytes: number;
}

/** A bound on the jobs under way, and on the memory that their replies may take. */
export class JobRoom {
  readonly #options: JobRoomOptions;
  readonly #budget: SpoolBudget;
  #jobs = 0;

  constructor(options: JobRoomOptions) {
    this.#options = options;
    this.#budget = new SpoolBudget(options.maxBytes);
  }

  /**
   * For one job, until what is answered is called; called again, it does nothing.
   * @throws GatewayError `rate_limited`, with nothing taken: waiting cures it
   */
  take(accountId: string, replyBytes: number): () => void {
    const { maxJobs, maxBytes } = this.#options;
    if (this.#jobs >= maxJobs) throw new GatewayError('rate_limited', { retryAfterSeconds: 1 });
    // What would not fit even alone has the account's part to itself.
    const bytes = Math.min(replyBytes, Math.floor(maxBytes / SHARES));
    this.#budget.take(accountId, bytes);
    this.#jobs++;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#jobs--;
      this.#budget.give(accountId, bytes);
    };
  }
}
