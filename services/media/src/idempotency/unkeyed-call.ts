import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gateway/process';
import type { RepeatBy } from '../images/rules/image-timeout';
import type { Idempotency } from '../store/idempotency';
import type { IdempotencyWriter } from './idempotency-writer';
import type { OwnKey } from './own-key';
import type { ClaimedCall, StoredReply } from './rules/idempotency';

export interface UnkeyedCallDeps {
  readonly store: Pick<Idempotency, 'register'>;
  readonly writer: IdempotencyWriter;
  readonly log: Logger;
}

/** Longest wait for the registration; after that the reply is sent without a key. */
const REGISTER_MS = 2_000;

/**
 * A call without an Idempotency-Key. It is stored only if the caller gets its reply while the provider's call is still
 * running; the request id is then its idempotency key.
 */
export class UnkeyedCall implements OwnKey {
  readonly #deps: UnkeyedCallDeps;
  /** Keyed by the request id. */
  readonly #call: ClaimedCall;
  #registered: Promise<boolean> | undefined;
  #end: (() => Promise<void>) | undefined;

  constructor(call: ClaimedCall, deps: UnkeyedCallDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async dispatched(): Promise<void> {}

  answered(reply: StoredReply): Promise<void> {
    return this.#ended(() => this.#deps.writer.answered(this.#deps.log, this.#call, reply));
  }

  free(): Promise<void> {
    return this.#ended(() => this.#deps.writer.free(this.#deps.log, this.#call));
  }

  lost(): Promise<void> {
    return this.#ended(() => this.#deps.writer.lost(this.#deps.log, this.#call));
  }

  async late(): Promise<RepeatBy> {
    const endedBefore = this.#end;
    this.#registered = this.#register();
    const isKept = await Promise.race([this.#registered, sleep(REGISTER_MS, false, { ref: false })]);
    if (!isKept) return { by: 'nothing' };
    await endedBefore?.();
    return { by: 'request-id', key: this.#call.key };
  }

  async #register(): Promise<boolean> {
    try {
      return await this.#deps.store.register(this.#call);
    } catch (err) {
      this.#deps.log.warn({ err }, 'idempotency key of a timed-out call not stored');
      return false;
    }
  }

  async #ended(write: () => Promise<void>): Promise<void> {
    this.#end = write;
    // Also if registering failed: the row may exist nevertheless.
    if (this.#registered) await this.#registered.then(write);
  }
}
