/** Returns the CPU time of this thread so far. Other than wall time, it is the same on a busy machine. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const INTERVAL_MS = 1_000;

export interface CpuTimeQuotaOptions {
  readonly nowMs: () => number;
  /** CPU time of the thread so far. */
  readonly cpuMs: () => number;
  /** CPU time per second for all holders together. */
  readonly limitMs: number;
  /** Budget of a run whose holder has used up its part. */
  readonly minimumMs: number;
}

/**
 * Divides the CPU time of synchronous work among holders: in each second a holder may use as much as it leaves to the
 * others. Runs beyond that get a budget of `minimumMs`.
 */
export class CpuTimeQuota {
  readonly #options: CpuTimeQuotaOptions;
  readonly #usedMs = new Map<string, number>();
  #totalUsedMs = 0;
  #intervalEndsMs = 0;

  constructor(options: CpuTimeQuotaOptions) {
    this.#options = options;
  }

  /** Calls `work` with its budget of CPU time, at most `wantedMs`, and charges the holder for the time it used. */
  run<T>(holder: string, wantedMs: number, work: (budgetMs: number) => T): T {
    const { cpuMs, limitMs, minimumMs } = this.#options;
    this.#startInterval();
    const usedMs = this.#usedMs.get(holder) ?? 0;
    const budgetMs = Math.min(wantedMs, (limitMs - this.#totalUsedMs - usedMs) / 2);
    const startMs = cpuMs();
    try {
      return work(Math.max(minimumMs, budgetMs));
    } finally {
      const workMs = cpuMs() - startMs;
      this.#totalUsedMs += workMs;
      this.#usedMs.set(holder, usedMs + workMs);
    }
  }

  #startInterval(): void {
    const nowMs = this.#options.nowMs();
    if (nowMs < this.#intervalEndsMs) return;
    this.#intervalEndsMs = nowMs + INTERVAL_MS;
    this.#totalUsedMs = 0;
    this.#usedMs.clear();
  }
}
