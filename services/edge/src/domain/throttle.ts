import { GatewayError } from '@gateway/errors';

/** An edge's part of the platform throttle for a short time. */
export interface ThrottleLease {
  readonly throttled: boolean;
  /** Requests that may pass before the lease ends. */
  readonly permits: number;
  readonly validMs: number;
}

export interface ThrottleOptions {
  /** `wanted`: requests since the last lease. */
  lease(wanted: number): Promise<ThrottleLease>;
  nowMs(): number;
}

/** Minimum time between leases when the permits are used up. */
const MIN_RENEWAL_MS = 50;
/** Leases are granted per second. */
const RETRY_AFTER_SECONDS = 1;

/**
 * This edge's part of the platform throttle, leased from billing. While the throttle is off a request costs nothing here;
 * a new throttle is noticed within the duration of a lease.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  #lease: ThrottleLease | undefined;
  #endsAtMs = 0;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #permits = 0;
  #wanted = 0;
  #renewal: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    void this.#renew();
  }

  /** @throws GatewayError `rate_limited`; `internal_error` when the throttle is unknown */
  async admit(): Promise<void> {
    this.#wanted++;
    if (!this.#lease) await this.#renew();
    if (!this.#lease) throw new GatewayError('internal_error', { cause: new Error('no throttle lease') });
    if (!this.#lease.throttled) return;
    if (this.#take()) return;
    if (this.#options.nowMs() - this.#askedAtMs >= MIN_RENEWAL_MS || this.#renewal) {
      await this.#renew();
      if (this.#take()) return;
    }
    throw new GatewayError('rate_limited', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #take(): boolean {
    if (this.#lease && !this.#lease.throttled) return true;
    if (this.#permits === 0 || this.#options.nowMs() >= this.#endsAtMs) return false;
    this.#permits--;
    return true;
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#ask().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    const wanted = this.#wanted;
    this.#wanted = 0;
    this.#askedAtMs = this.#options.nowMs();
    let nextMs = 1_000;
    try {
      const lease = await this.#options.lease(wanted);
      const nowMs = this.#options.nowMs();
      // The remaining permits are valid until their second ends.
      const leftOver = nowMs < this.#endsAtMs ? this.#permits : 0;
      this.#permits = leftOver + lease.permits;
      this.#endsAtMs = nowMs + lease.validMs;
      this.#lease = lease;
      nextMs = Math.max(MIN_RENEWAL_MS, lease.validMs);
    } catch {
      // The last lease expires; requests without permits are refused.
    }
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#renew(), nextMs);
    this.#timer.unref();
  }
}
