import { setTimeout as sleep } from 'node:timers/promises';
import type { Quota } from '@gateway/quota';
import { ClientDisconnected } from '@gateway/rpc';
import type { Idempotency } from '../store/idempotency';
import type { ClaimedCall } from './rules/idempotency';

export interface InFlightKeysOptions {
  readonly store: Pick<Idempotency, 'isBusy'>;
  /** Calls that wait: they are unpaid, and each keeps its body. */
  readonly waiters: Quota;
}

/** Polls one key for all calls that wait for it. */
interface Poller {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiters: number;
}

const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 1_000;

/** Idempotency keys whose calls are in flight, and the repeated calls that wait for their results. */
export class InFlightKeys {
  readonly #options: InFlightKeysOptions;
  readonly #pollers = new Map<string, Poller>();

  constructor(options: InFlightKeysOptions) {
    this.#options = options;
  }

  /** Counts a waiting call until the returned function is called. @throws GatewayError `rate_limited` */
  enter(accountId: string): () => void {
    return this.#options.waiters.lease(accountId);
  }

  /** Resolves when the key's call has ended, or after `withinMs`. @throws ClientDisconnected */
  async changed(call: ClaimedCall, withinMs: number, signal: AbortSignal): Promise<void> {
    const poller = this.#pollerOf(call);
    poller.waiters++;
    const over = new AbortController();
    const late = sleep(withinMs, undefined, { signal: AbortSignal.any([signal, over.signal]) });
    try {
      await Promise.race([poller.done, late]);
    } catch (error) {
      throw signal.aborted ? new ClientDisconnected() : error;
    } finally {
      over.abort();
      if (--poller.waiters === 0) poller.stop.abort();
    }
  }

  /** A different request under the same key has its own poller. */
  #pollerOf(call: ClaimedCall): Poller {
    const id = JSON.stringify([call.accountId, call.operation, call.key, call.fingerprint]);
    const known = this.#pollers.get(id);
    if (known && !known.stop.signal.aborted) return known;
    const stop = new AbortController();
    const poller = { done: this.#poll(call, stop.signal), stop, waiters: 0 };
    this.#pollers.set(id, poller);
    const forget = () => this.#pollers.get(id) === poller && this.#pollers.delete(id);
    poller.done.then(forget, forget);
    return poller;
  }

  async #poll(call: ClaimedCall, stop: AbortSignal): Promise<void> {
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(2 * waitMs, MAX_POLL_MS)) {
      await sleep(waitMs, undefined, { signal: stop });
      if (!(await this.#options.store.isBusy(call))) return;
    }
  }
}
