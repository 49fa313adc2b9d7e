/** Calls every registered `tick` once a second, with one timer for all. */
export class ProgressClock {
  readonly #ticks = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs = 1_000) {
    this.#timer = setInterval(() => {
      for (const tick of this.#ticks) tick();
    }, intervalMs);
    this.#timer.unref();
  }

  /** Returns the function that stops it. */
  start(tick: () => void): () => void {
    this.#ticks.add(tick);
    return () => this.#ticks.delete(tick);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
