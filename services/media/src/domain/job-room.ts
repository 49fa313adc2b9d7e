import { GatewayError } from '@gateway/proto';
import { SHARES, SpoolBudget } from './spool-budget';

export interface JobRoomOptions {
  /** Under way at once. */
  readonly maxJobs: number;
  /** Of the replies of them all; one account's may take a part of it. */
  readonly maxBytes: number;
}

/** What one job has of it. Each may be called more than once. */
export interface TakenRoom {
  /** The job is over; its reply still takes its memory. */
  jobOver(): void;
  /** All of it. */
  give(): void;
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

  /** @throws GatewayError `rate_limited`, with nothing taken: waiting cures it */
  take(accountId: string, replyBytes: number): TakenRoom {
    const { maxJobs, maxBytes } = this.#options;
    if (this.#jobs >= maxJobs) throw new GatewayError('rate_limited', { retryAfterSeconds: 1 });
    // What would not fit even alone has the account's part to itself.
    const bytes = Math.min(replyBytes, Math.floor(maxBytes / SHARES));
    this.#budget.take(accountId, bytes);
    this.#jobs++;
    const jobOver = once(() => this.#jobs--);
    const giveBytes = once(() => this.#budget.give(accountId, bytes));
    return {
      jobOver,
      give() {
        jobOver();
        giveBytes();
      },
    };
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
