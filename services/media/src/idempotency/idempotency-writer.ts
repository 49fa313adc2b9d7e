import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gateway/process';
import type { Idempotency } from '../store/idempotency';
import type { ClaimedCall, StoredReply } from './rules/idempotency';

export interface IdempotencyWriterOptions {
  readonly store: Pick<Idempotency, 'answered' | 'free' | 'lost'>;
  readonly firstWaitMs: number;
}

/** Attempts for which the call waits; later ones are made in the background. */
const TRIES_AT_ONCE = 3;
const MAX_WAIT_MS = 2_000;
/** A longer outage of the database loses the state. */
const TRIES_MS = 15 * 60_000;
const MAX_PENDING_WRITES = 10_000;
/** Memory for late states; excludes images. */
const MAX_LATE_BODY_BYTES = 4_096;

/**
 * Stores the outcome of calls with an idempotency key. No response fails because its outcome can't be stored; what can't be
 * stored immediately is retried.
 */
export class IdempotencyWriter {
  readonly #options: IdempotencyWriterOptions;
  #pending = 0;

  constructor(options: IdempotencyWriterOptions) {
    this.#options = options;
  }

  async answered(log: Logger, call: ClaimedCall, reply: StoredReply): Promise<void> {
    const { store } = this.#options;
    if (await this.#tryNow(() => store.answered(call, reply))) return;
    this.#pendingr(log, lateAnswer(store, call, forLater(reply)));
  }

  async free(log: Logger, call: ClaimedCall): Promise<void> {
    await this.#write(log, () => this.#options.store.free(call));
  }

  async lost(log: Logger, call: ClaimedCall): Promise<void> {
    await this.#write(log, () => this.#options.store.lost(call));
  }

  async #write(log: Logger, write: () => Promise<void>): Promise<void> {
    if (!(await this.#tryNow(write))) this.#pendingr(log, write);
  }

  async #tryNow(write: () => Promise<void>): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        await write();
        return true;
      } catch {
        if (tries === TRIES_AT_ONCE) return false;
        await sleep(this.#waitMs(tries));
      }
    }
  }

  #pendingr(log: Logger, write: () => Promise<void>): void {
    if (this.#pending >= MAX_PENDING_WRITES) {
      log.error({ late: this.#pending }, 'idempotency key not updated: too many updates are waiting');
      return;
    }
    this.#pending++;
    this.#untilWritten(write)
      .catch((err) => log.error({ err }, 'idempotency key not updated'))
      .finally(() => this.#pending--);
  }

  async #untilWritten(write: () => Promise<void>): Promise<void> {
    const untilMs = performance.now() + TRIES_MS;
    for (let tries = TRIES_AT_ONCE; ; tries++) {
      // Does not delay the end of the process.
      await sleep(this.#waitMs(tries), undefined, { ref: false });
      try {
        await write();
        return;
      } catch (error) {
        if (performance.now() > untilMs) throw error;
      }
    }
  }

  #waitMs(tries: number): number {
    return Math.min(this.#options.firstWaitMs * 2 ** Math.min(tries - 1, 10), MAX_WAIT_MS);
  }
}

function forLater({ status, headers, body }: StoredReply): StoredReply {
  return { status, headers, ...(body && body.length <= MAX_LATE_BODY_BYTES && { body }) };
}

/** A separate function, so that it retains nothing of a reply that was too large. */
function lateAnswer(store: Pick<Idempotency, 'answered'>, call: ClaimedCall, reply: StoredReply) {
  return () => store.answered(call, reply);
}
