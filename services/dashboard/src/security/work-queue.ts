/** Runs at most `concurrency` jobs at a time and lets at most `maxWaiting` wait. */
export class WorkQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(concurrency: number, maxWaiting: number) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
  }

  /** Undefined when too many wait already; else the job's outcome. */
  run<T>(job: () => Promise<T>): Promise<T> | undefined {
    if (this.#running >= this.#concurrency && this.#waiting.length >= this.#maxWaiting) return undefined;
    return this.#run(job);
  }

  async #run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await job();
    } finally {
      // The place goes to the next in line, so that a newcomer can't take it.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
