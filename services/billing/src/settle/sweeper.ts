import { type Pool, ping } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import { expireOrphanedHolds, type HoldGrace } from './store/expire-holds';

/** Long enough for several heartbeats of every live owner. */
const STARTUP_GRACE_MS = 60_000;
const MAX_BATCHES = 100;

export interface SweeperOptions {
  readonly pool: Pool;
  readonly grace: HoldGrace;
  /** Of an account's losses in an hour. */
  readonly log: Logger;
  readonly now?: () => number;
}

/**
 * Expires the holds of dead owners. After a start, and after an outage of the database, it first waits for heartbeats:
 * owners only seem dead if their heartbeats could not be received.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #listeningSinceMs: number | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Returns the number of expired holds. */
  async run(): Promise<number> {
    try {
      return await this.#sweep();
    } catch (error) {
      this.#listeningSinceMs = undefined;
      throw error;
    }
  }

  async #sweep(): Promise<number> {
    const { pool, grace, log, now = () => performance.now() } = this.#options;
    await ping(pool);
    this.#listeningSinceMs ??= now();
    if (now() - this.#listeningSinceMs < Math.min(STARTUP_GRACE_MS, grace.callMs, grace.taskMs)) return 0;
    let expired = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const count = await expireOrphanedHolds(pool, grace);
      if (count === 0) break;
      expired += count;
    }
    if (expired > 0) log.warn({ expired }, 'holds of dead owners expired');
    return expired;
  }
}
