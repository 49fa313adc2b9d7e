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

const ADMISSION_SHARE = 0.8;

/**
 * The append-only usage journal of one process. *Dispatched* and *progress* records are written, not synced; a *final*
 * record is durable when its promise resolves, with one sync for many. The oldest segment is removed when billing has
 * acknowledged every call that began in it.
 */
export class FileJournal implements UsageJournal {
  readonly owner: Owner;
  readonly #options: FileJournalOptions;
  /** By request id of every unacknowledged call: the segment of its first record. */
  readonly #firstSegment = new Map<string, number>();
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
    const bytes = this.#callsBySegment.size * this.#options.segmentBytes;
    const roomy = bytes <= this.#options.maxBytes * ADMISSION_SHARE;
    return this.#failure === undefined && this.#spare !== undefined && roomy;
  }

  /** Marks a segment of a previous epoch as containing a call that billing may not have. */
  trackCall(requestId: string, segment: number): void {
    if (this.#firstSegment.has(requestId)) return;
    this.#firstSegment.set(requestId, segment);
    this.#callsBySegment.set(segment, (this.#callsBySegment.get(segment) ?? 0) + 1);
  }

  /** Resolves when the dispatch would be known after a kill of this process. */
  dispatched(call: DispatchedCall, inputTokens: number): Promise<void> {
    return this.#write({ t: 'dispatched', call, inputTokens }, call.requestId);
  }

  /** Not awaited: the next record replaces it. */
  progress(requestId: string, usage: TokenUsage): void {
    this.#write({ t: 'progress', id: requestId, usage }, requestId).catch(() => {});
  }

  /** Resolves when the call's end is on disk. */
  async final(event: UsageEvent): Promise<void> {
    await this.#write({ t: 'final', event }, event.requestId);
    await this.#sync();
  }

  /** Billing has the call's end: its records are no longer needed. */
  acknowledge(requestId: string): void {
    const segment = this.#firstSegment.get(requestId);
    if (segment === undefined) return;
    this.#firstSegment.delete(requestId);
    this.#callsBySegment.set(segment, (this.#callsBySegment.get(segment) ?? 1) - 1);
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
    if (this.#firstSegment.size > 0) return;
    for (const number of this.#callsBySegment.keys()) removeSegment(this.#options.directory, number);
  }

  #write(record: JournalRecord, requestId: string): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.trackCall(requestId, this.#current.number);
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
    this.#makeSpare();
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
