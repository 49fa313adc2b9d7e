import { setTimeout as sleep } from 'node:timers/promises';
import { ClientDisconnected } from '@gateway/rpc';
import { Busy } from '../domain/busy';
import type { Idempotency } from '../store/idempotency';
import type { ClaimedCall } from './rules/idempotency';

export interface BusyKeysOptions {
  readonly store: Pick<Idempotency, 'isBusy'>;
  /** Calls that wait at once: they are unpaid, and each keeps what it brought. */
  readonly maxWaiters: number;
  /** Of one account. */
  readonly maxAccountWaiters: number;
}

/** Looks at one key for all who wait for it. */
interface Looker {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiters: number;
}

const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

/** Keys whose calls are under way, and those who wait for what comes of them. */
export class BusyKeys {
  readonly #options: BusyKeysOptions;
  readonly #lookers = new Map<string, Looker>();
  readonly #accountWaiters = new Map<string, number>();
  #waiters = 0;

  constructor(options: BusyKeysOptions) {
    this.#options = options;
  }

  /** Takes a place among those who wait; what it answers gives that back. @throws Busy */
  enter(accountId: string): () => void {
    const ofAccount = this.#accountWaiters.get(accountId) ?? 0;
    const { maxWaiters, maxAccountWaiters } = this.#options;
    if (ofAccount >= maxAccountWaiters) throw new Busy('waiting_repeats', 'account');
    if (this.#waiters >= maxWaiters) throw new Busy('waiting_repeats', 'all');
    this.#waiters++;
    this.#accountWaiters.set(accountId, ofAccount + 1);
    return () => {
      this.#waiters--;
      const left = (this.#accountWaiters.get(accountId) ?? 0) - 1;
      if (left > 0) this.#accountWaiters.set(accountId, left);
      else this.#accountWaiters.delete(accountId);
    };
  }

  /** Resolves when the key is busy no longer, or after `withinMs`. @throws ClientDisconnected */
  async changed(call: ClaimedCall, withinMs: number, signal: AbortSignal): Promise<void> {
    const looker = this.#lookerOf(call);
    looker.waiters++;
    const over = new AbortController();
    const late = sleep(withinMs, undefined, { signal: AbortSignal.any([signal, over.signal]) });
    try {
      await Promise.race([looker.done, late]);
    } catch (error) {
      throw signal.aborted ? new ClientDisconnected() : error;
    } finally {
      over.abort();
      if (--looker.waiters === 0) looker.stop.abort();
    }
  }

  /** Another request under the same key is told apart by its own look. */
  #lookerOf(call: ClaimedCall): Looker {
    const id = JSON.stringify([call.accountId, call.operation, call.key, call.fingerprint]);
    const known = this.#lookers.get(id);
    if (known && !known.stop.signal.aborted) return known;
    const stop = new AbortController();
    const looker = { done: this.#look(call, stop.signal), stop, waiters: 0 };
    this.#lookers.set(id, looker);
    const forget = () => this.#lookers.get(id) === looker && this.#lookers.delete(id);
    looker.done.then(forget, forget);
    return looker;
  }

  async #look(call: ClaimedCall, stop: AbortSignal): Promise<void> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS)) {
      await sleep(waitMs, undefined, { signal: stop });
      if (!(await this.#options.store.isBusy(call))) return;
    }
  }
}
