import { setTimeout as sleep } from 'node:timers/promises';
import { FailureDetector, type UsageEvent, type UsageOutbox } from '@gateway/call-billing';
import type { Pool } from '@gateway/postgres';
import { every, type Logger, type Repeated } from '@gateway/process';
import type { Bills } from '../store/bills';
import { beat, forgetInstances, listOthers, markStopped } from '../store/instances';
import { abandonedEvent } from './rules/bill-event';

export interface BillOutboxOptions {
  readonly bills: Bills;
  readonly instanceId: string;
  /** A separate pool, so that no call delays a heartbeat. */
  readonly pool: Pool;
  readonly outbox: Pick<UsageOutbox, 'add'>;
  readonly log: Logger;
  /** Time without heartbeats after which an instance counts as dead. */
  readonly leaseMs: number;
  readonly newTaskId: () => string;
  /** Timeout of one attempt to store an end. */
  readonly tryMs?: number;
  /** Time after which a bill that may have been opened either exists or never will. */
  readonly uncertainMs?: number;
}

/** Heartbeats per lease. */
const BEATS_PER_LEASE = 8;
const END_RETRY_MIN_MS = 100;
const END_RETRY_MAX_MS = 2_000;
/** Timeout of one attempt: a connection may hang longer than any statement takes. */
const END_TRY_MS = 15_000;
/** Above this number billing is far behind, and further ends wait in their rows only. */
const MAX_KNOWN = 10_000;
/** Longer than any statement may take, so that none is still running. */
const UNCERTAIN_MS = 15_000;
const MAX_UNCERTAIN = 10_000;

/**
 * Ensures that every bill ends once and that billing receives its end: stores ends, delivers them, and takes over the bills
 * of dead instances.
 */
export class BillOutbox {
  readonly #options: BillOutboxOptions;
  readonly #beatMs: number;
  /** Ends being delivered to billing, and delivered ends whose rows can be deleted. */
  readonly #waiting = new Set<string>();
  readonly #arrived = new Set<string>();
  /** Bills being ended: their rows are kept as proof of their end. */
  readonly #ending = new Set<string>();
  /** Bills whose opening failed, and since when: they may exist, and no other instance ends them. */
  readonly #uncertain = new Map<string, number>();
  readonly #failureDetector: FailureDetector;
  /** When this instance's heartbeat was last stored, by a monotonic clock. */
  #beatAtMs = Number.NEGATIVE_INFINITY;
  #jobs: Repeated[] = [];
  readonly #stopping = new AbortController();

  constructor(options: BillOutboxOptions) {
    this.#options = options;
    this.#failureDetector = new FailureDetector(options.leaseMs);
    this.#beatMs = Math.ceil(options.leaseMs / BEATS_PER_LEASE);
  }

  /** Resolves when this instance's heartbeat is stored. */
  async start(): Promise<void> {
    const { log } = this.#options;
    await this.#beat();
    this.#jobs = [
      every(this.#beatMs, 'beat', log, () => this.#beat()),
      every(this.#beatMs, 'bills', log, () => this.#maintainBills()),
    ];
  }

  /**
   * Ends a bill of this instance and delivers it. Resolves when the end is durable, however long the database is
   * unreachable: no other instance ends it while this one lives. False: it had been ended before.
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
        else this.#options.log.warn({ requestId: event.requestId }, 'another instance had ended the bill');
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

  /** @param triedBefore a previous attempt may have succeeded without an answer */
  async #writeEnd(event: UsageEvent, triedBefore: boolean): Promise<boolean> {
    return (await this.#options.bills.end(event)) || (triedBefore && (await this.#wasOurs(event)));
  }

  /** @throws when it takes longer; it may still succeed */
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

  /** Ends early when this instance stops, so that it makes one more attempt. */
  async #pause(waitMs: number): Promise<void> {
    await sleep(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** For a commit whose answer was lost. */
  async #wasOurs(event: UsageEvent): Promise<boolean> {
    if (this.#waiting.has(event.requestId) || this.#arrived.has(event.requestId)) return true;
    return this.#options.bills.hasEnd(event);
  }

  /** Delivers a committed end; its row is the proof until billing has it. */
  deliver(event: UsageEvent): void {
    if (this.#waiting.has(event.requestId) || this.#arrived.has(event.requestId)) return;
    this.#waiting.add(event.requestId);
    this.#options.outbox.add(event);
  }

  /**
   * Handles a call for which it is unknown whether its bill exists; no money was requested. The bill is deleted once no
   * statement for it can be running.
   */
  dropLater(requestId: string): void {
    if (this.#uncertain.size < MAX_UNCERTAIN) this.#uncertain.set(requestId, performance.now());
    else this.#options.log.error({ requestId }, 'bill of uncertain state abandoned');
  }

  /** Called when billing has acknowledged the end. */
  delivered({ requestId }: UsageEvent): void {
    this.#waiting.delete(requestId);
    this.#arrived.add(requestId);
    if (this.#arrived.size === 1) setImmediate(() => this.#forget().catch(() => {}));
  }

  /** Called after the usage outbox has closed. The rest is left to other instances or the next epoch. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#jobs.map((job) => job.stop()));
    const { pool, instanceId, log } = this.#options;
    try {
      await this.#forget();
      await markStopped(pool, instanceId);
    } catch (error) {
      log.warn({ err: error }, 'open bills left to other instances');
    }
  }

  async #beat(): Promise<void> {
    await beat(this.#options.pool, this.#options.instanceId);
    this.#beatAtMs = performance.now();
  }

  async #maintainBills(): Promise<void> {
    const { bills, pool, instanceId, log, newTaskId } = this.#options;
    const others = await listOthers(pool, instanceId);
    const nowMs = performance.now();
    // A database that reads but does not write prevents heartbeats of live instances too: so no instance is declared dead.
    if (nowMs - this.#beatAtMs > this.#options.leaseMs / 2) this.#failureDetector.forget();
    const silent = this.#failureDetector.findSilent(others, nowMs);
    if (silent.length > 0) {
      const adopted = await bills.adopt(silent, {
        eventOf: (call, state) => abandonedEvent(call, state, Date.now()),
        newTaskId,
      });
      if (adopted > 0) log.warn({ adopted }, 'bills of dead instances taken over');
      await forgetInstances(pool, silent);
    }
    await this.#forget();
    await this.#dropUncertain();
    const known = [...this.#waiting, ...this.#arrived];
    if (known.length > MAX_KNOWN) return;
    for (const event of await bills.undelivered(known)) this.deliver(event);
  }

  async #dropUncertain(): Promise<void> {
    const { uncertainMs = UNCERTAIN_MS } = this.#options;
    const sinceMs = performance.now() - uncertainMs;
    const due = [...this.#uncertain].flatMap(([requestId, atMs]) => (atMs <= sinceMs ? [requestId] : []));
    if (due.length === 0) return;
    await this.#options.bills.drop(...due);
    for (const requestId of due) this.#uncertain.delete(requestId);
  }

  async #forget(): Promise<void> {
    const arrived = [...this.#arrived].filter((requestId) => !this.#ending.has(requestId));
    if (arrived.length === 0) return;
    await this.#options.bills.forget(arrived);
    for (const requestId of arrived) this.#arrived.delete(requestId);
  }
}
