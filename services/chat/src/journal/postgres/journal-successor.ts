import {
  type CellBilling,
  type Cells,
  FailureDetector,
  type InstanceHeartbeats,
  type Owner,
  type UsageEvent,
  type UsageOutbox,
} from '@gateway/call-billing';
import type { Pool } from '@gateway/postgres';
import { every, type Logger, type Repeated } from '@gateway/process';
import { NO_USAGE } from '../../domain/usage';
import { endCall, releaseUnknownHolds } from '../end-interrupted';
import { interruptedEvent } from '../interrupted-event';
import { decodeRecord, decodeUsage } from '../journal-record';
import { beat, deleteOwner, listOthers, rowsOf, type StoredRow, takeOver } from './journal-rows';
import { LEASE_MS, type PostgresJournal } from './postgres-journal';

export interface JournalSuccessorOptions {
  readonly journal: PostgresJournal;
  readonly pool: Pool;
  readonly cells: Cells<CellBilling>;
  readonly outbox: Pick<UsageOutbox, 'add'>;
  readonly log: Logger;
  /** Called when the calls of another instance have been ended. */
  onTakenOver(): void;
}

const BEAT_MS = 1_000;

/**
 * Stores this instance's heartbeats, and ends the calls of instances that have none: what their journals have is delivered, or
 * settled by its last progress; a hold that their journals don't know was never dispatched and is released.
 */
export class JournalSuccessor {
  readonly #options: JournalSuccessorOptions;
  readonly #detector = new FailureDetector(LEASE_MS);
  readonly #stopping = new AbortController();
  readonly #jobs: readonly Repeated[];
  /** Of several silent instances at a time: one may wait for a cell that the others don't need. */
  readonly #successions = new Set<Promise<void>>();

  constructor(options: JournalSuccessorOptions) {
    this.#options = options;
    this.#jobs = [
      every(BEAT_MS, 'beat', options.log, () => options.journal.beat()),
      every(BEAT_MS, 'journals', options.log, () => this.#takeOverSilent()),
    ];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#jobs.map((job) => job.stop()));
    await Promise.all(this.#successions);
  }

  async #takeOverSilent(): Promise<void> {
    const { pool, journal } = this.#options;
    let others: InstanceHeartbeats[];
    try {
      others = await listOthers(pool, journal.owner.id);
    } catch (error) {
      // The heartbeats of others may have failed as well.
      this.#detector.forget();
      throw error;
    }
    for (const silent of this.#detector.findSilent(others, performance.now())) {
      const owner = await takeOver(pool, silent);
      if (owner) this.#start(owner);
    }
  }

  /** Beats for the owner until its calls are ended, so that no other instance takes it over as well. */
  #start(owner: Owner): void {
    const { pool, log } = this.#options;
    const beating = every(BEAT_MS, 'beat of a journal taken over', log, async () => {
      await beat(pool, owner);
    });
    const succession = this.#succeed(owner)
      .catch((err) => log.warn({ err, owner: owner.id }, 'a journal was not taken over; retrying'))
      .finally(async () => {
        await beating.stop();
        this.#successions.delete(succession);
      });
    this.#successions.add(succession);
  }

  /** If this instance dies or fails meanwhile, the owner falls silent again and is taken over: it is deleted at the end. */
  async #succeed(owner: Owner): Promise<void> {
    const { pool, log } = this.#options;
    const ending = { ...this.#options, signal: this.#stopping.signal };
    const known: string[] = [];
    for await (const row of rowsOf(pool, owner.id)) {
      const event = endOf(row, Date.now());
      known.push(row.requestId);
      if (event) await endCall(ending, event);
    }
    await releaseUnknownHolds(ending, owner, known);
    if (this.#stopping.signal.aborted) return;
    await deleteOwner(pool, owner);
    this.#options.onTakenOver();
    log.info({ owner: owner.id, calls: known.length }, 'took over a journal');
  }
}

/** Returns undefined for a row without a dispatch, which no version writes. */
function endOf({ dispatched, progress, final }: StoredRow, nowMs: number): UsageEvent | undefined {
  if (final !== null) return JSON.parse(final) as UsageEvent;
  const record = dispatched === null ? undefined : decodeRecord(dispatched);
  if (record?.t !== 'dispatched') return undefined;
  const usage =
    progress === null ? { ...NO_USAGE, input: record.inputTokens } : decodeUsage(JSON.parse(progress));
  return interruptedEvent(record.call, usage, nowMs);
}
