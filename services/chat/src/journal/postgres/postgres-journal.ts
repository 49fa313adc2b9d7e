import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner, UsageEvent } from '@gateway/call-billing';
import type { Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { DispatchedCall } from '../../domain/settlement-event';
import type { TokenUsage } from '../../domain/usage';
import { encodeRecord, encodeUsage } from '../journal-record';
import type { UsageJournal } from '../usage-journal';
import { beat, insertOwner, type JournalRow, leave, writeChanges } from './journal-rows';

export interface PostgresJournalOptions {
  /** For heartbeats. */
  readonly pool: Pool;
  /** For changes: a separate pool, so that none delays a heartbeat. */
  readonly writePool: Pool;
  readonly log: Logger;
  /** Another instance has taken over the journal: this process must not go on. */
  onTakenOver(): void;
}

/** Time without heartbeats after which another instance may take over. */
export const LEASE_MS = 10_000;
/** While writes fail for longer, new calls are refused instead of waiting. */
const MAX_FAILING_MS = 1_000;
/** Progress and removals wait for other changes for this long. */
const GATHER_MS = 200;
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 1_000;

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The usage journal of one process as rows in PostgreSQL: of the calls in flight, and of those whose end waits for billing, which
 * the outbox limits for each cell. What changes while a write is in progress is written together by the next one. A write that fails
 * is repeated until it succeeds: the calls that wait for it go on when the database is back.
 */
export class PostgresJournal implements UsageJournal {
  readonly owner: Owner = { id: randomUUID(), epoch: 1n };
  readonly #options: PostgresJournalOptions;
  #rows = new Map<string, JournalRow>();
  #removed = new Set<string>();
  #waiters: Waiter[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the latest stored heartbeat was sent, by a monotonic clock. */
  #beatAtMs = performance.now();
  #failingSinceMs: number | undefined;
  #failure: Error | undefined;

  private constructor(options: PostgresJournalOptions) {
    this.#options = options;
  }

  static async open(options: PostgresJournalOptions): Promise<PostgresJournal> {
    const journal = new PostgresJournal(options);
    await insertOwner(options.pool, journal.owner.id);
    return journal;
  }

  get admits(): boolean {
    if (this.#failure !== undefined) return false;
    const nowMs = performance.now();
    // A process that was frozen may have lost its journal: holds that it requests now would be nobody's.
    if (nowMs - this.#beatAtMs > LEASE_MS / 2) return false;
    return this.#failingSinceMs === undefined || nowMs - this.#failingSinceMs < MAX_FAILING_MS;
  }

  dispatched(call: DispatchedCall, inputTokens: number): Promise<void> {
    const dispatched = encodeRecord({ t: 'dispatched', call, inputTokens });
    return this.#write(call.requestId, { dispatched });
  }

  progress(requestId: string, usage: TokenUsage): void {
    this.#change(requestId, { progress: JSON.stringify(encodeUsage(usage)) });
    this.#writeLater();
  }

  final(event: UsageEvent): Promise<void> {
    return this.#write(event.requestId, { final: JSON.stringify(event) });
  }

  acknowledge(requestId: string): void {
    this.#rows.delete(requestId);
    this.#removed.add(requestId);
    this.#writeLater();
  }

  /** Stores a heartbeat. */
  async beat(): Promise<void> {
    const sentAtMs = performance.now();
    if (await beat(this.#options.pool, this.owner)) this.#beatAtMs = sentAtMs;
    else this.#onTakenOver();
  }

  /** Writes what is pending, and lets another instance take over what billing does not have. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#writeNow();
    await this.#writing;
    if (this.#failure !== undefined) return;
    this.#failure = new Error('journal is closed');
    await leave(this.#options.pool, this.owner);
  }

  #write(requestId: string, change: JournalRow): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#change(requestId, change);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (this.#waiters.length === 1) setImmediate(() => this.#writeNow());
    });
  }

  #change(requestId: string, change: JournalRow): void {
    this.#rows.set(requestId, { ...this.#rows.get(requestId), ...change });
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => this.#writeNow(), GATHER_MS).unref();
  }

  #writeNow(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#failure === undefined && (this.#rows.size > 0 || this.#removed.size > 0)) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      const changes = { rows: this.#rows, removed: this.#removed };
      const waiters = this.#waiters;
      this.#rows = new Map();
      this.#removed = new Set();
      this.#waiters = [];
      const isOwner = await this.#writeUntilDone(changes);
      if (isOwner) for (const { resolve } of waiters) resolve();
      else this.#onTakenOver();
      if (this.#failure !== undefined) for (const { reject } of waiters) reject(this.#failure);
    }
  }

  async #writeUntilDone(changes: Parameters<typeof writeChanges>[2]): Promise<boolean> {
    const { writePool, log } = this.#options;
    const durable = [...changes.rows.values()].some(({ final }) => final !== undefined);
    for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MAX_MS)) {
      try {
        const isOwner = await writeChanges(writePool, this.owner, changes, durable);
        this.#failingSinceMs = undefined;
        return isOwner;
      } catch (error) {
        if (this.#failingSinceMs === undefined)
          log.warn({ err: error }, 'the journal could not be written; retrying');
        this.#failingSinceMs ??= performance.now();
        await sleep(waitMs);
      }
    }
  }

  #onTakenOver(): void {
    if (this.#failure !== undefined) return;
    this.#failure = new Error('another instance has taken over the journal');
    for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
    this.#options.onTakenOver();
  }
}
