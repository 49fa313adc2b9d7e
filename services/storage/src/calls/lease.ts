import { every, type Logger, type Repeated } from '@gateway/process';

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

  constructor({ name, renew, log, stopping }: LeaseOptions) {
    this.signal = AbortSignal.any([this.#lost.signal, stopping]);
    this.#renewal = every(RENEW_INTERVAL_MS, name, log, async () => {
      if (!(await renew())) this.lose();
    });
  }

  lose(): void {
    this.#lost.abort();
  }

  /** Renews it no more. */
  async release(): Promise<void> {
    await this.#renewal.stop();
  }
}
