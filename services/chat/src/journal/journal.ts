import { mkdirSync, readdirSync } from 'node:fs';
import type { Owner, UsageEvent } from '@gateway/call-billing';
import type { TokenUsage } from '../domain/usage';
import type { DispatchedCall } from '../domain/usage-event';
import { encodeRecord, type JournalRecord } from './journal-record';
import { nextEpoch } from './owner';
import { removeSegment, Segment, segmentNumber } from './segment';

export interface JournalOptions {
  readonly directory: string;
  /** All segments together; past four fifths of it new calls are refused. */
  readonly maxBytes: number;
  readonly segmentBytes: number;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

const ADMISSION_SHARE = 0.8;

/**
 * The append-only usage journal of one process. *Dispatched* and *progress* are written, not synced;
 * *final* is durable when its promise resolves, many finals to a sync. The oldest segment is removed once
 * billing has acknowledged every call that began in it.
 */
export class Journal {
  readonly owner: Owner;
  readonly #options: JournalOptions;
  /** Segment of the first record of every call that billing has not acknowledged, by request id. */
  readonly #firstSegment = new Map<string, number>();
  /** How many such calls each segment has, oldest segment first. */
  readonly #callsBySegment = new Map<number, number>();
  #current: Segment;
  /** Made ahead, so that calls in flight find room for their ends on a full disk. */
  #spare: Segment | undefined;
  #pending: (Waiter & { readonly text: string })[] = [];
  #syncWaiters: Waiter[] = [];
  #syncing = false;
  #failure: unknown;

  constructor(options: JournalOptions) {
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

  /** Segments of earlier lives, oldest first. */
  get earlierSegments(): number[] {
    return [...this.#callsBySegment.keys()].filter((number) => number < this.#current.number);
  }

  /** False when the journal is nearly full or its disk failed: new calls must be refused. */
  get admits(): boolean {
    const bytes = this.#callsBySegment.size * this.#options.segmentBytes;
    const roomy = bytes <= this.#options.maxBytes * ADMISSION_SHARE;
    return this.#failure === undefined && this.#spare !== undefined && roomy;
  }

  /** Says that a segment of an earlier life still holds a call that billing may not have. */
  keep(requestId: string, segment: number): void {
    if (this.#firstSegment.has(requestId)) return;
    this.#firstSegment.set(requestId, segment);
    this.#callsBySegment.set(segment, (this.#callsBySegment.get(segment) ?? 0) + 1);
  }

  /** Resolves when a killed process would still be known to have dispatched the call. */
  dispatched(call: DispatchedCall, inputTokens: number): Promise<void> {
    return this.#write({ t: 'dispatched', call, inputTokens }, call.requestId);
  }

  /** Fire and forget: the next one replaces it. */
  progress(requestId: string, usage: TokenUsage): void {
    this.#write({ t: 'progress', id: requestId, usage }, requestId).catch(() => {});
  }

  /** Resolves when the call's end is on the disk. */
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
   * Removes segments from the oldest on until one has a call that is not acknowledged: a call's later
   * records may stand in any segment after its first.
   */
  removeFinishedSegments(): void {
    for (const [number, calls] of this.#callsBySegment) {
      if (calls > 0 || number >= this.#current.number) return;
      removeSegment(this.#options.directory, number);
      this.#callsBySegment.delete(number);
    }
  }

  /** Writes what is pending. With nothing unacknowledged the next life has nothing to read. */
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
    this.keep(requestId, this.#current.number);
    return new Promise((resolve, reject) => {
      this.#pending.push({ text: encodeRecord(record), resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** One system call for all records of this turn. Synchronous, as it only reaches the page cache. */
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
    // Whoever waits for a sync has records up to here; later syncs only reach the new segment.
    this.#current.syncNow();
    this.#current.close();
    this.#current = this.#spare;
    this.#spare = undefined;
    this.removeFinishedSegments();
    this.#makeSpare();
  }

  /** Without a disk `admits` is false until a later try finds room again. */
  #makeSpare(): void {
    if (this.#spare || this.#failure !== undefined) return;
    try {
      this.#spare = this.#createSegment(this.#current.number + 1);
    } catch {
      setTimeout(() => this.#makeSpare(), 1_000).unref();
    }
  }

  #createSegment(number: number): Segment {
    // What a failed attempt left behind holds nothing.
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
          // Rotated meanwhile, which synced all that these waiters wrote.
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
