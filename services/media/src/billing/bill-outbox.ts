import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageEvent, UsageOutbox } from '@gateway/call-billing';
import type { Pool } from '@gateway/postgres';
import { every, type Logger, type Repeated } from '@gateway/process';
import type { Bills } from '../store/bills';
import { beat, forgetInstances, leave, listOthers } from '../store/instances';
import { abandonedEvent } from './rules/bill-event';
import { FailureDetector } from './rules/failure-detector';

export interface BillKeeperOptions {
  readonly bills: Bills;
  readonly instanceId: string;
  /** Of its own, so that no call can keep a sign of life waiting. */
  readonly pool: Pool;
  readonly outbox: Pick<UsageOutbox, 'add'>;
  readonly log: Logger;
  /** Of an instance, after which it is taken for dead. */
  readonly silenceMs: number;
  /** For what a lost instance ordered and others can follow. */
  readonly newTaskId: () => string;
  /** Of one try to write down an end. */
  readonly tryMs?: number;
  /** After which a bill that may have been opened is there or never will be. */
  readonly unsureMs?: number;
}

/** Signs of life in the time after which an instance is taken for dead. */
const BEATS_PER_SILENCE = 8;
const END_RETRY_MIN_MS = 100;
const END_RETRY_MAX_MS = 2_000;
/** Of one try: a connection may fall silent for longer than any statement takes. */
const END_TRY_MS = 15_000;
/** Beyond it billing is far behind, and what is not in memory can wait in its row. */
const MAX_KNOWN = 10_000;
/** Beyond what a statement may take, after which none can come to its end behind our back. */
const UNSURE_MS = 15_000;
const MAX_UNSURE = 10_000;

/**
 * Sees to it that every bill ends once and that billing hears of it: writes ends, delivers them, and takes over those
 * of instances that are gone.
 */
export class BillOutbox {
  readonly #options: BillKeeperOptions;
  readonly #beatMs: number;
  /** Ends under way to billing, and those that have arrived and whose rows can go. */
  readonly #waiting = new Set<string>();
  readonly #arrived = new Set<string>();
  /** Being ended: their rows stay, as proof of whose end it is. */
  readonly #ending = new Set<string>();
  /** Whose opening failed, and since when: they may be there, and nobody else ends them. */
  readonly #unsure = new Map<string, number>();
  readonly #silence: FailureDetector;
  /** When this instance's own sign of life was last written, by a clock that never steps. */
  #beatAtMs = Number.NEGATIVE_INFINITY;
  #jobs: Repeated[] = [];
  readonly #stopping = new AbortController();

  constructor(options: BillKeeperOptions) {
    this.#options = options;
    this.#silence = new FailureDetector(options.silenceMs);
    this.#beatMs = Math.ceil(options.silenceMs / BEATS_PER_SILENCE);
  }

  /** Resolves when this instance is known to live. */
  async start(): Promise<void> {
    const { log } = this.#options;
    await this.#beat();
    this.#jobs = [
      every(this.#beatMs, 'beat', log, () => this.#beat()),
      every(this.#beatMs, 'bills', log, () => this.#seeToBills()),
    ];
  }

  /**
   * Ends a bill of this instance and has it delivered. Resolves when that can't be lost, however long the database is
   * away: nobody else sees to it while this instance lives. False: it had been ended before.
   * @throws when the instance stops first; its bills are taken over then
   */
  async end(event: UsageEvent): Promise<boolean> {
    this.#ending.add(event.requestId);
    try {
      return await this.#end(event);
    } finally {
      this.#ending.delete(event.requestId);
    }
  }

  async #end(event: UsageEvent): Promise<boolean> {
    let waitMs = END_RETRY_MIN_MS;
    for (let tries = 1; ; tries++) {
      try {
        const isFirst = await this.#within(this.#writeEnd(event, tries > 1));
        if (isFirst) this.deliver(event);
        else this.#options.log.warn({ requestId: event.requestId }, 'a bill had been ended by others');
        return isFirst;
      } catch (error) {
        if (this.#stopping.signal.aborted) throw error;
        this.#options.log.warn(
          { err: error, requestId: event.requestId },
          'a bill could not be ended; retrying',
        );
        await this.#pause(waitMs);
        waitMs = Math.min(2 * waitMs, END_RETRY_MAX_MS);
      }
    }
  }

  /** @param triedBefore it may have been written without our being told */
  async #writeEnd(event: UsageEvent, triedBefore: boolean): Promise<boolean> {
    return (await this.#options.bills.end(event)) || (triedBefore && (await this.#wasOurs(event)));
  }

  /** @throws when it takes longer; it is not to be waited for, and may come to its end all the same */
  async #within<T>(work: Promise<T>): Promise<T> {
    const { tryMs = END_TRY_MS } = this.#options;
    const over = new AbortController();
    const late = sleep(tryMs, undefined, { signal: over.signal }).then((): never => {
      throw new Error(`no answer within ${tryMs} ms`);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      late.catch(() => {});
      work.catch(() => {});
      over.abort();
    }
  }

  /** Not beyond the end of this instance, which has one more try then. */
  async #pause(waitMs: number): Promise<void> {
    await sleep(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** A commit whose answer was lost. */
  async #wasOurs(event: UsageEvent): Promise<boolean> {
    if (this.#waiting.has(event.requestId) || this.#arrived.has(event.requestId)) return true;
    return this.#options.bills.hasEnd(event);
  }

  /** An end that is committed; its row is the proof until billing has it. */
  deliver(event: UsageEvent): void {
    if (this.#waiting.has(event.requestId) || this.#arrived.has(event.requestId)) return;
    this.#waiting.add(event.requestId);
    this.#options.outbox.add(event);
  }

  /**
   * Whether it was written down that this call has a bill is not known; no money was asked for. It goes once what was
   * sent to the database surely is over.
   */
  dropLater(requestId: string): void {
    if (this.#unsure.size < MAX_UNSURE) this.#unsure.set(requestId, performance.now());
    else this.#options.log.error({ requestId }, 'a bill that may have been opened is left');
  }

  /** Billing has it. */
  delivered({ requestId }: UsageEvent): void {
    this.#waiting.delete(requestId);
    this.#arrived.add(requestId);
    if (this.#arrived.size === 1) setImmediate(() => this.#forget().catch(() => {}));
  }

  /** After the outbox has closed. What is left undone is for the other instances, or the next life. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#jobs.map((job) => job.stop()));
    const { pool, instanceId, log } = this.#options;
    try {
      await this.#forget();
      await leave(pool, instanceId);
    } catch (error) {
      log.warn({ err: error }, 'bills are left to others');
    }
  }

  async #beat(): Promise<void> {
    await beat(this.#options.pool, this.#options.instanceId);
    this.#beatAtMs = performance.now();
  }

  async #seeToBills(): Promise<void> {
    const { bills, pool, instanceId, log, newTaskId } = this.#options;
    const others = await listOthers(pool, instanceId);
    const nowMs = performance.now();
    // A database that reads and does not write silences the living, too: who can't be heard can't judge.
    if (nowMs - this.#beatAtMs > this.#options.silenceMs / 2) this.#silence.forget();
    const silent = this.#silence.look(others, nowMs);
    if (silent.length > 0) {
      const adopted = await bills.adopt(silent, {
        eventOf: (call, state) => abandonedEvent(call, state, Date.now()),
        newTaskId,
      });
      if (adopted > 0) log.warn({ adopted }, 'bills of lost instances taken over');
      await forgetInstances(pool, silent);
    }
    await this.#forget();
    await this.#dropUnsure();
    const known = [...this.#waiting, ...this.#arrived];
    if (known.length > MAX_KNOWN) return;
    for (const event of await bills.undelivered(known)) this.deliver(event);
  }

  async #dropUnsure(): Promise<void> {
    const { unsureMs = UNSURE_MS } = this.#options;
    const sinceMs = performance.now() - unsureMs;
    const due = [...this.#unsure].flatMap(([requestId, atMs]) => (atMs <= sinceMs ? [requestId] : []));
    if (due.length === 0) return;
    await this.#options.bills.drop(...due);
    for (const requestId of due) this.#unsure.delete(requestId);
  }

  async #forget(): Promise<void> {
    const arrived = [...this.#arrived].filter((requestId) => !this.#ending.has(requestId));
    if (arrived.length === 0) return;
    await this.#options.bills.forget(arrived);
    for (const requestId of arrived) this.#arrived.delete(requestId);
  }
}
