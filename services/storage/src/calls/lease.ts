import { every, type Logger, type Repeated } from '@gateway/process';
import { LEASE_SECONDS } from './rules/lease-seconds';

const RENEW_INTERVAL_MS = 2_000;

export interface LeaseOptions {
  /** For the log. */
  readonly name: string;
  /** Returns whether this process still has what it leased. */
  renew(): Promise<boolean>;
  readonly log: Logger;
  /** This process stops. */
  readonly stopping: AbortSignal;
}

/** A lease of this process, which is renewed until it is lost or released. */
export class Lease {
  /** Aborted when the lease is lost or the process stops. */
  readonly signal: AbortSignal;
  readonly #lost = new AbortController();
  readonly #renewal: Repeated;
  #untilMs = performance.now() + LEASE_SECONDS * 1_000;

  constructor({ name, renew, log, stopping }: LeaseOptions) {
    this.signal = AbortSignal.any([this.#lost.signal, stopping]);
    this.#renewal = every(RENEW_INTERVAL_MS, name, log, async () => {
      const askedMs = performance.now();
      if (!(await renew())) return this.lose();
      this.#untilMs = askedMs + LEASE_SECONDS * 1_000;
    });
  }

  /** It has not expired, by this process's clock. */
  get isHeld(): boolean {
    return performance.now() < this.#untilMs;
  }

  lose(): void {
    this.#lost.abort();
  }

  /** Renews it no more. */
  async release(): Promise<void> {
    await this.#renewal.stop();
  }
}
