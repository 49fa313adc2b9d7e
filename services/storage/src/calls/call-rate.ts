import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces calls evenly. */
export class CallRate {
  readonly #gapMs: number;
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#gapMs = 1_000 / perSecond;
  }

  /** Waits until one more call may be sent, or the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const atMs = Math.max(now, this.#nextMs);
    this.#nextMs = atMs + this.#gapMs;
    // Shorter timers than a millisecond don't exist: a delay is made up for by later calls.
    if (atMs - now >= 1) await sleep(atMs - now, undefined, { signal }).catch(() => undefined);
  }
}
