import { leaseAll, Quota } from '@gateway/quota';

export interface JobLimiterOptions {
  readonly maxJobs: number;
  /** Memory for the replies of all jobs. */
  readonly maxBytes: number;
}

/** The account of a job and its provider. */
export interface JobParties {
  readonly accountId: string;
  readonly provider: string;
}

/** The reservations of a job. Both functions may be called more than once. */
export interface JobLease {
  /** Ends the job; its reply keeps its memory. */
  endJob(): void;
  /** Releases everything. */
  release(): void;
}

/** Maximum part of one provider: if a provider hangs, its jobs last for minutes, and the others need the rest. */
const PROVIDER_PART = 3 / 4;
const ACCOUNT_PART = 1 / 4;

/** Limits the image jobs in flight and the memory of their replies. */
export class JobLimiter {
  readonly jobs: Quota;
  readonly memory: Quota;
  readonly #providerMemory: Quota;
  readonly #maxReplyBytes: number;

  constructor({ maxJobs, maxBytes }: JobLimiterOptions) {
    const ofProvider = (limit: number) => new Quota({ limit, perHolder: Math.ceil(limit * PROVIDER_PART) });
    this.#maxReplyBytes = Math.floor(maxBytes * ACCOUNT_PART);
    this.jobs = ofProvider(maxJobs);
    this.memory = new Quota({ limit: maxBytes, perHolder: maxBytes * ACCOUNT_PART });
    this.#providerMemory = ofProvider(maxBytes);
  }

  /** @throws GatewayError `rate_limited` with nothing reserved */
  lease({ accountId, provider }: JobParties, replyBytes: number): JobLease {
    // A reply too large for an account's part gets the whole part.
    const bytes = Math.min(replyBytes, this.#maxReplyBytes);
    const releaseMemory = leaseAll([
      [this.memory, accountId, bytes],
      [this.#providerMemory, provider, bytes],
    ]);
    try {
      const endJob = this.jobs.lease(provider);
      return {
        endJob,
        release() {
          endJob();
          releaseMemory();
        },
      };
    } catch (error) {
      releaseMemory();
      throw error;
    }
  }
}
