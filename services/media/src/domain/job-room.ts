import { giveAll, SHARES, SpoolBudget, takeAll, type Wanted } from './spool-budget';

export interface JobRoomOptions {
  /** Under way at once. */
  readonly maxJobs: number;
  /** Of the replies of them all; one account's may take a part of it. */
  readonly maxBytes: number;
}

/** Whose job it is, and who does it. */
export interface JobParties {
  readonly accountId: string;
  readonly provider: string;
}

/** What one job has of it. Each may be called more than once. */
export interface TakenRoom {
  /** The job is over; its reply still takes its memory. */
  jobOver(): void;
  /** All of it. */
  give(): void;
}

/** A provider that hangs keeps its jobs for many minutes: what is left is for those of the others. */
const PROVIDER_PART = 3 / 4;

/** A bound on the jobs under way, and on the memory that their replies may take. */
export class JobRoom {
  readonly #maxBytes: number;
  readonly #jobs: SpoolBudget;
  readonly #ofProviders: SpoolBudget;
  readonly #ofAccounts: SpoolBudget;

  constructor({ maxJobs, maxBytes }: JobRoomOptions) {
    const ofProvider = (most: number) =>
      new SpoolBudget({
        room: 'images',
        maxBytes: most,
        sharedBy: 'provider',
        maxShareBytes: Math.ceil(most * PROVIDER_PART),
      });
    this.#maxBytes = maxBytes;
    this.#jobs = ofProvider(maxJobs);
    this.#ofProviders = ofProvider(maxBytes);
    this.#ofAccounts = new SpoolBudget({ room: 'images', maxBytes });
  }

  /** @throws Busy with nothing taken */
  take({ accountId, provider }: JobParties, replyBytes: number): TakenRoom {
    // What would not fit even alone has the account's part to itself.
    const bytes = Math.min(replyBytes, Math.floor(this.#maxBytes / SHARES));
    const place: Wanted = [this.#jobs, provider, 1];
    const memory: Wanted[] = [
      [this.#ofAccounts, accountId, bytes],
      [this.#ofProviders, provider, bytes],
    ];
    takeAll([...memory, place]);
    const jobOver = once(() => giveAll([place]));
    const giveBytes = once(() => giveAll(memory));
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
