export interface WorkQueueOptions {
  readonly concurrency: number;
  readonly maxWaiting: number;
  /** Of those who wait, for one party. */
  readonly maxWaitingPerParty: number;
}

interface Waiting {
  readonly party: string;
  readonly start: () => void;
}

/** Runs so many jobs at a time and lets so many wait, of which one party has a part only. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Undefined when too many wait already; else the job's outcome. */
  run<T>(party: string, job: () => Promise<T>): Promise<T> | undefined {
    return this.#mustWait() && !this.#mayWait(party) ? undefined : this.#run(party, job);
  }

  #mustWait(): boolean {
    return this.#running >= this.#options.concurrency;
  }

  #mayWait(party: string): boolean {
    const { maxWaiting, maxWaitingPerParty } = this.#options;
    if (this.#waiting.length >= maxWaiting) return false;
    return this.#waiting.filter((one) => one.party === party).length < maxWaitingPerParty;
  }

  async #run<T>(party: string, job: () => Promise<T>): Promise<T> {
    if (this.#mustWait()) await new Promise<void>((start) => this.#waiting.push({ party, start }));
    else this.#running += 1;
    try {
      return await job();
    } finally {
      // The place goes to the next in line, so that a newcomer can't take it.
      const next = this.#waiting.shift();
      if (next) next.start();
      else this.#running -= 1;
    }
  }
}
