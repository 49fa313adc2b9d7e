import { type ExhaustedBound, Quota } from './quota';

export interface FairSemaphoreOptions {
  readonly concurrency: number;
  /** Runs of one holder at once. Less than `concurrency` leaves capacity to the other holders. Default: all of them. */
  readonly perHolder?: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerHolder: number;
  readonly maxWaitMs: number;
}

/** Too many runs wait already, or this one waited too long. */
export class SemaphoreExhausted extends Error {}

/**
 * Bounds concurrent work. Work beyond the bound waits: first come, first served among the holders below their own bound.
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

  /** @throws SemaphoreExhausted before `work` runs; what `work` throws */
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
    if (exhausted) throw new SemaphoreExhausted(`too many are waiting: ${exhausted}`);
    try {
      const isRunning = await this.#running.waitFor(() => !this.#running.acquire(holder), this.#maxWaitMs);
      if (!isRunning) throw new SemaphoreExhausted('waited too long');
    } finally {
      this.#waiting.release(holder);
    }
  }
}
