import { type ExhaustedBound, Quota } from './quota';

export interface FairSemaphoreOptions {
  readonly concurrency: number;
  /** Concurrent runs of one holder. A value below `concurrency` leaves capacity to other holders. Default: `concurrency`. */
  readonly perHolder?: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerHolder: number;
  readonly maxWaitMs: number;
}

/** Too many runs are waiting already, or this run waited too long. */
export class SemaphoreExhausted extends Error {}

/**
 * Limits concurrent work. Work beyond the limit waits: first come, first served among the holders below their own limit.
 */
export class FairSemaphore {
  readonly #running: Quota;
  readonly #waiting: Quota;
  readonly #maxWaitMs: number;

  constructor({ concurrency, perHolder, maxWaiting, maxWaitingPerHolder, maxWaitMs }: FairSemaphoreOptions) {
    this.#running = new Quota({ limit: concurrency, perHolder: perHolder ?? concurrency });
    this.#waiting = new Quota({ limit: maxWaiting, perHolder: maxWaitingPerHolder });
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Runs `work` when a slot is free, and returns its result.
   * @throws SemaphoreExhausted if `work` was not started
   */
  async run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    if (this.#running.acquire(holder)) await this.#wait(holder);
    try {
      return await work();
    } finally {
      this.#running.release(holder);
    }
  }

  async #wait(holder: string): Promise<void> {
    const exhausted: ExhaustedBound | undefined = this.#waiting.acquire(holder);
    if (exhausted) throw new SemaphoreExhausted(`too many runs are waiting: ${exhausted}`);
    try {
      const isRunning = await this.#running.waitFor(() => !this.#running.acquire(holder), this.#maxWaitMs);
      if (!isRunning) throw new SemaphoreExhausted('waited too long');
    } finally {
      this.#waiting.release(holder);
    }
  }
}
