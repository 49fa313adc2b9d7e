import { mkdirSync, readdirSync } from 'node:fs';
import type { Owner, UsageEvent } from '@gateway/call-billing';
import type { DispatchedCall } from '../../domain/settlement-event';
import type { TokenUsage } from '../../domain/usage';
import { encodeRecord, type JournalRecord } from '../journal-record';
import type { UsageJournal } from '../usage-journal';
import { nextEpoch } from './owner';
import { removeSegment, Segment, segmentNumber } from './segment';

export interface FileJournalOptions {
  readonly directory: string;
  /** All segments together; above four fifths of it new calls are refused. */
  readonly maxBytes: number;
  readonly segmentBytes: number;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** A call that billing may not have. */
interface OpenCall {
  /** Of its first record that is needed. */
  segment: number;
  /** Its records that are needed: the end, or the dispatch and the last progress. */
  records: readonly JournalRecord[];
}

const ADMISSION_SHARE = 0.8;
/** Above this part of `maxBytes` the calls in the oldest segments are moved, so that these can be removed. */
const COMPACTION_SHARE = 0.6;
/** At most, of a new segment for calls that are moved: the rest is for new records. */
const MOVED_SHARE = 0.75;

/**
 * The append-only usage journal of one process. *Dispatched* and *progress* records are written, not synced; a *final*
 * record is durable when its promise resolves, with one sync for many. The oldest segment is removed when billing has
 * acknowledged every call that began in it. In a journal that fills, calls that are still open are moved from the oldest segments to
 * the current one: a long call, or a cell that does not take its events, does not keep the records of all other calls.
 */
export class FileJournal implements UsageJournal {
  readonly owner: Owner;
  readonly #options: FileJournalOptions;
  /** By request id. */
  readonly #calls = new Map<string, OpenCall>();
  /** Number of such calls per segment, oldest segment first. */
  readonly #callsBySegment = new Map<number, number>();
  #current: Segment;
  /** Created in advance, so that calls in flight can be recorded when the disk is full. */
  #spare: Segment | undefined;
  #pending: (Waiter & { readonly text: string })[] = [];
  #syncWaiters: Waiter[] = [];
  #syncing = false;
  #failure: unknown;

  constructor(options: FileJournalOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    this.owner = nextEpoch(options.directory);
    const earlier = readdirSync(options.directory)
      .map(segmentNumber)
      .filter((number) => number !== undefined)
      .sort((a, b) => a - b);
    for (const number of earlier) this.#callsBySegment.set(number, 0);
    this.#current = this.#createSegment((earlier.at(-1) ?? 0) + 1);
    this.#spare = this.#createSegment(this.#current.number + 1);
  }

  get directory(): string {
    return this.#options.directory;
  }

  /** Segments of previous epochs, oldest first. */
  get earlierSegments(): number[] {
    return [...this.#callsBySegment.keys()].filter((number) => number < this.#current.number);
  }

  /** False when the journal is nearly full or its disk failed: new calls must be refused. */
  get admits(): boolean {
    return this.#failure === undefined && this.#spare !== undefined && this.#excessOf(ADMISSION_SHARE) <= 0;
  }

  /** Returns the number of segments that exceed this part of the journal. */
  #excessOf(share: number): number {
    const { maxBytes, segmentBytes } = this.#options;
    return this.#callsBySegment.size - Math.floor((maxBytes * share) / segmentBytes);
  }

  /** Tracks a record of a call that billing may not have, in this segment. */
  track(record: JournalRecord, segment: number): void {
    const requestId = requestIdOf(record);
    const call = this.#calls.get(requestId);
    if (!call) {
      this.#calls.set(requestId, { segment, records: [record] });
      this.#countCall(segment, 1);
    } else if (call.records[0]?.t !== 'final') {
      call.records = record.t === 'progress' ? [...call.records.slice(0, 1), record] : [record];
    }
  }

  #countCall(segment: number, change: number): void {
    this.#callsBySegment.set(segment, (this.#callsBySegment.get(segment) ?? 0) + change);
  }

  /** Resolves when the dispatch would be known after a kill of this process. */
  dispatched(call: DispatchedCall, inputTokens: number): Promise<void> {
    return this.#write({ t: 'dispatched', call, inputTokens });
  }

  /** Not awaited: the next record replaces it. */
  progress(requestId: string, usage: TokenUsage): void {
    this.#write({ t: 'progress', id: requestId, usage }).catch(() => {});
  }

  /** Resolves when the call's end is on disk. */
  async final(event: UsageEvent): Promise<void> {
    await this.#write({ t: 'final', event });
    await this.#sync();
  }

  /** Billing has the call's end: its records are no longer needed. */
  acknowledge(requestId: string): void {
    const call = this.#calls.get(requestId);
    if (!call) return;
    this.#calls.delete(requestId);
    this.#countCall(call.segment, -1);
    this.removeFinishedSegments();
  }

  /**
   * Removes segments, oldest first, up to one with an unacknowledged call: a call's later records may be in any segment
   * after its first.
   */
  removeFinishedSegments(): void {
    for (const [number, calls] of this.#callsBySegment) {
      if (calls > 0 || number >= this.#current.number) return;
      removeSegment(this.#options.directory, number);
      this.#callsBySegment.delete(number);
    }
  }

  /** Writes pending records. If every call is acknowledged, the next epoch has nothing to read. */
  close(): void {
    this.#flush();
    this.#failure ??= new Error('journal is closed');
    this.#current.close();
    this.#spare?.close();
    if (this.#calls.size > 0) return;
    for (const number of this.#callsBySegment.keys()) removeSegment(this.#options.directory, number);
  }

  #write(record: JournalRecord): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.track(record, this.#current.number);
    return new Promise((resolve, reject) => {
      this.#pending.push({ text: encodeRecord(record), resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** One system call for all records of this turn. Synchronous, because it only writes to the page cache. */
  #flush(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    try {
      const bytes = Buffer.from(pending.map(({ text }) => text).join(''));
      if (!this.#current.hasRoomFor(bytes.length)) this.#rotate();
      this.#current.append(bytes);
      for (const { resolve } of pending) resolve();
    } catch (error) {
      this.#failure ??= error;
      for (const { reject } of pending) reject(error);
    }
  }

  #rotate(): void {
    if (!this.#spare) throw new Error('journal is full');
    // The waiters' records end here; later syncs only cover the new segment.
    this.#current.syncNow();
    this.#current.close();
    this.#current = this.#spare;
    this.#spare = undefined;
    this.removeFinishedSegments();
    this.#moveOldestCalls();
    this.#makeSpare();
  }

  /** Moves calls to the current segment, which has just been begun, until the oldest segments that are too many are not needed. */
  #moveOldestCalls(): void {
    const excess = this.#excessOf(COMPACTION_SHARE);
    if (excess <= 0) return;
    const numbers = [...this.#callsBySegment.keys()].slice(0, excess);
    const last = Math.min(numbers.at(-1)!, this.#current.number - 1);
    const calls = [...this.#calls.values()].filter(({ segment }) => segment <= last);
    const moved: OpenCall[] = [];
    const texts: string[] = [];
    let restBytes = this.#options.segmentBytes * MOVED_SHARE;
    for (const call of calls.sort((a, b) => a.segment - b.segment)) {
      const text = call.records.map(encodeRecord).join('');
      restBytes -= Buffer.byteLength(text);
      if (restBytes < 0) break;
      texts.push(text);
      moved.push(call);
    }
    this.#current.append(Buffer.from(texts.join('')));
    // Durable before the segments are removed that have the ends among them.
    this.#current.syncNow();
    for (const call of moved) {
      this.#countCall(call.segment, -1);
      call.segment = this.#current.number;
      this.#countCall(call.segment, 1);
    }
    this.removeFinishedSegments();
  }

  /** If the disk fails, `admits` is false until a later attempt finds space. */
  #makeSpare(): void {
    if (this.#spare || this.#failure !== undefined) return;
    try {
      this.#spare = this.#createSegment(this.#current.number + 1);
    } catch {
      setTimeout(() => this.#makeSpare(), 1_000).unref();
    }
  }

  #createSegment(number: number): Segment {
    // A file left by a failed attempt contains no records.
    removeSegment(this.#options.directory, number);
    const segment = Segment.create(this.#options.directory, number, this.#options.segmentBytes);
    this.#callsBySegment.set(number, 0);
    return segment;
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#syncWaiters.push({ resolve, reject });
      if (!this.#syncing) void this.#syncAll();
    });
  }

  async #syncAll(): Promise<void> {
    this.#syncing = true;
    while (this.#syncWaiters.length > 0) {
      const waiters = this.#syncWaiters;
      this.#syncWaiters = [];
      const segment = this.#current;
      try {
        await segment.sync();
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        if (segment !== this.#current) {
          // The segment was rotated meanwhile, which synced the records of these waiters.
          for (const { resolve } of waiters) resolve();
          continue;
        }
        this.#failure ??= error;
        for (const { reject } of waiters) reject(error);
      }
    }
    this.#syncing = false;
  }
}

function requestIdOf(record: JournalRecord): string {
  if (record.t === 'progress') return record.id;
  return record.t === 'final' ? record.event.requestId : record.call.requestId;
}
