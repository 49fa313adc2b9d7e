import { GatewayError } from '@gateway/errors';

export interface QuotaOptions {
  /** Maximum for all holders together. */
  readonly limit: number;
  /** Maximum for one holder. Default: `limit`. */
  readonly perHolder?: number;
  /** Lets a holder exceed `perHolder` up to the amount it leaves available: half for a single holder, a third for each of two. */
  readonly elastic?: boolean;
  /** Reserves the last `amount` of `limit` for holders with at most `smallHolder`, so that large holders can't starve them. */
  readonly reserve?: { readonly amount: number; readonly smallHolder: number };
}

/** The limit that refused an acquisition: that of all holders, or of one. */
export type ExhaustedBound = 'limit' | 'holder';

/**
 * Divides a limited resource of this process (bytes of memory or disk, concurrent calls) among holders, usually accounts.
 * Without a holder, an acquisition counts against the limit only.
 */
export class Quota {
  readonly #options: Required<Omit<QuotaOptions, 'reserve'>> & Pick<QuotaOptions, 'reserve'>;
  readonly #holders = new Map<string, number>();
  readonly #attempts = new Set<() => void>();
  #used = 0;
  readonly #refusals = { limit: 0, holder: 0 };

  constructor(options: QuotaOptions) {
    this.#options = { perHolder: options.limit, elastic: false, ...options };
  }

  get limit(): number {
    return this.#options.limit;
  }

  get used(): number {
    return this.#used;
  }

  get available(): number {
    return this.#options.limit - this.#used;
  }

  /** Number of refused acquisitions by exhausted limit. */
  get refusals(): Readonly<Record<ExhaustedBound, number>> {
    return this.#refusals;
  }

  usedBy(holder: string): number {
    return this.#holders.get(holder) ?? 0;
  }

  /** Acquires the amount and returns undefined, or acquires nothing and returns the limit that refused it. */
  acquire(holder: string | undefined, amount = 1): ExhaustedBound | undefined {
    const bound = this.#boundFor(holder, amount);
    if (bound) {
      this.#refusals[bound] += 1;
      return bound;
    }
    this.#used += amount;
    if (holder !== undefined) this.#holders.set(holder, this.usedBy(holder) + amount);
    return undefined;
  }

  release(holder: string | undefined, amount = 1): void {
    this.#used -= amount;
    if (holder !== undefined) {
      const left = this.usedBy(holder) - amount;
      if (left > 0) this.#holders.set(holder, left);
      else this.#holders.delete(holder);
    }
    for (const attempt of this.#attempts) attempt();
  }

  /** Acquires the amount and returns the function that releases it. @throws GatewayError `rate_limited` if it is refused */
  lease(holder: string | undefined, amount = 1): () => void {
    return leaseAll([[this, holder, amount]]);
  }

  /**
   * Runs `attempt` now and, in the order of the waiting attempts, after each release until it returns true.
   * @returns false if it did not succeed within `timeoutMs`
   */
  async waitFor(attempt: () => boolean, timeoutMs: number): Promise<boolean> {
    if (attempt()) return true;
    return new Promise((resolve) => {
      const settle = (succeeded: boolean) => {
        clearTimeout(timer);
        this.#attempts.delete(retry);
        resolve(succeeded);
      };
      const retry = () => {
        if (attempt()) settle(true);
      };
      const timer = setTimeout(() => settle(false), timeoutMs);
      this.#attempts.add(retry);
    });
  }

  #boundFor(holder: string | undefined, amount: number): ExhaustedBound | undefined {
    const { perHolder, elastic, reserve } = this.#options;
    const available = this.available - amount;
    if (available < 0) return 'limit';
    if (holder === undefined) return undefined;
    const held = this.usedBy(holder) + amount;
    if (held > (elastic ? Math.max(perHolder, available) : perHolder)) return 'holder';
    return reserve && held > reserve.smallHolder && available < reserve.amount ? 'holder' : undefined;
  }
}

/**
 * Acquires from every quota and returns an idempotent function that releases all of it.
 * @throws GatewayError `rate_limited` if a quota refuses; then nothing was acquired
 */
export function leaseAll(wanted: readonly (readonly [Quota, string | undefined, number])[]): () => void {
  for (const [index, [quota, holder, amount]] of wanted.entries()) {
    if (!quota.acquire(holder, amount)) continue;
    for (const [other, otherHolder, otherAmount] of wanted.slice(0, index))
      other.release(otherHolder, otherAmount);
    throw quotaExhausted();
  }
  return once(() => {
    for (const [quota, holder, amount] of wanted) quota.release(holder, amount);
  });
}

/** Returns the error for a call for which this process has no capacity at the moment. */
export const quotaExhausted = () => new GatewayError('rate_limited', { retryAfterSeconds: 1 });

/** Returns a function that calls `action` the first time only. */
export function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
