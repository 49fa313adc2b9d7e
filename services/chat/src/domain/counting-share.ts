import { threadCpuMs } from './token-count';

const SPAN_MS = 1_000;
/** Of CPU, in each span: for one account, and for all of them together. */
const ACCOUNT_MS = 200;
const ALL_MS = 400;
/** Enough of a text to estimate the rest from. */
const LEAST_MS = 2;

/**
 * How long tokens may be counted for callers who do not pay for it: of a prompt before it is held, and where nothing
 * but the count is asked for. What is over the share of its account, or of all, is estimated sooner, so that counts
 * do not take the time of calls.
 */
export class CountingShare {
  readonly #nowMs: () => number;
  readonly #spentMs = new Map<string, number>();
  #allSpentMs = 0;
  #spanEndsMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
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
    const leftMs = Math.min(wantedMs, ACCOUNT_MS - spentMs, ALL_MS - this.#allSpentMs);
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
