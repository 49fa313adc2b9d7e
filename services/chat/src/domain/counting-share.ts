import { loadTokenizer, threadCpuMs } from './token-count';

const SPAN_MS = 1_000;
/** The budget of an account whose time is used up: enough of a text to estimate the rest from. */
export const LEAST_MS = 2;

/**
 * How long tokens may be counted for callers who do not pay for it. An account has as much of each second as it leaves to
 * the others; what is over that is estimated sooner, so that counts do not take the time of calls.
 */
export class CountingShare {
  readonly #nowMs: () => number;
  readonly #allMs: number;
  readonly #spentMs = new Map<string, number>();
  #allSpentMs = 0;
  #spanEndsMs = 0;

  /** @param allMs of CPU in each second, for all accounts together */
  constructor(nowMs: () => number, allMs: number) {
    this.#nowMs = nowMs;
    this.#allMs = allMs;
  }

  /** @param count is told how much CPU it may use, at most `wantedMs` */
  run<T>(accountId: string, wantedMs: number, count: (budgetMs: number) => T): T {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#spanEndsMs) {
      this.#spanEndsMs = nowMs + SPAN_MS;
      this.#allSpentMs = 0;
      this.#spentMs.clear();
    }
    const spentMs = this.#spentMs.get(accountId) ?? 0;
    const leftMs = Math.min(wantedMs, (this.#allMs - this.#allSpentMs - spentMs) / 2);
    // It takes longer than anybody's share, so it is not measured.
    loadTokenizer();
    const startMs = threadCpuMs();
    try {
      return count(Math.max(LEAST_MS, leftMs));
    } finally {
      const usedMs = threadCpuMs() - startMs;
      this.#allSpentMs += usedMs;
      this.#spentMs.set(accountId, spentMs + usedMs);
    }
  }
}
