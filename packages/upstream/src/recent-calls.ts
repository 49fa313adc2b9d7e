import { toGatewayError, type UpstreamFailure } from './upstream-failure';

const SLOT_MS = 30_000;
const SLOTS = 10;
/** The window over which calls are counted. */
export const RECENT_MS = SLOT_MS * SLOTS;

interface Slot {
  /** Number of the interval since the clock's zero. */
  readonly number: number;
  calls: number;
  errors: number;
  timed: number;
  latencySumMs: number;
  latencyMaxMs: number;
}

export interface CallFigures {
  readonly calls: number;
  readonly errors: number;
  /** Calls with a known latency. */
  readonly timed: number;
  readonly latencySumMs: number;
  readonly latencyMaxMs: number;
  /** Since the start of the process. */
  readonly lastFailure?: {
    /** A code of the public error table. */
    readonly code: string;
    /** HTTP status of the provider's reply; 0: there was no reply. */
    readonly status: number;
    readonly agoMs: number;
  };
}

/** Counts the outcomes of the recent calls to one target, in constant memory. */
export class RecentCalls {
  /** Ring buffer: by interval number, modulo the number of intervals. */
  readonly #slots: (Slot | undefined)[] = [];
  #lastFailure: { code: string; status: number; atMs: number } | undefined;

  /**
   * Records an answered call.
   * @param tookMs absent if the duration does not represent the target's latency
   */
  recordSuccess(nowMs: number, tookMs?: number): void {
    const slot = this.#slot(nowMs);
    slot.calls++;
    if (tookMs === undefined) return;
    slot.timed++;
    slot.latencySumMs += tookMs;
    slot.latencyMaxMs = Math.max(slot.latencyMaxMs, tookMs);
  }

  recordFailure(nowMs: number, failure: UpstreamFailure): void {
    const slot = this.#slot(nowMs);
    slot.calls++;
    slot.errors++;
    const status = failure.kind === 'status' ? failure.status : 0;
    this.#lastFailure = { code: toGatewayError(failure).code, status, atMs: nowMs };
  }

  /** Records that a reply was cut after it had been counted as a success. */
  recordBrokenReply(nowMs: number): void {
    this.#slot(nowMs).errors++;
    this.#lastFailure = { code: 'upstream_failed', status: 0, atMs: nowMs };
  }

  /** Returns the mean latency in milliseconds; undefined without a timed call. */
  meanMs(nowMs: number): number | undefined {
    const oldest = numberAt(nowMs) - SLOTS + 1;
    let timed = 0;
    let sumMs = 0;
    for (const slot of this.#slots) {
      if (!slot || slot.number < oldest) continue;
      timed += slot.timed;
      sumMs += slot.latencySumMs;
    }
    return timed === 0 ? undefined : sumMs / timed;
  }

  figures(nowMs: number): CallFigures {
    const sum = { calls: 0, errors: 0, timed: 0, latencySumMs: 0, latencyMaxMs: 0 };
    const oldest = numberAt(nowMs) - SLOTS + 1;
    for (const slot of this.#slots) {
      if (!slot || slot.number < oldest) continue;
      sum.calls += slot.calls;
      sum.errors += slot.errors;
      sum.timed += slot.timed;
      sum.latencySumMs += slot.latencySumMs;
      sum.latencyMaxMs = Math.max(sum.latencyMaxMs, slot.latencyMaxMs);
    }
    if (!this.#lastFailure) return sum;
    const { code, status, atMs } = this.#lastFailure;
    return { ...sum, lastFailure: { code, status, agoMs: nowMs - atMs } };
  }

  #slot(nowMs: number): Slot {
    const number = numberAt(nowMs);
    const known = this.#slots[number % SLOTS];
    if (known?.number === number) return known;
    const fresh = { number, calls: 0, errors: 0, timed: 0, latencySumMs: 0, latencyMaxMs: 0 };
    this.#slots[number % SLOTS] = fresh;
    return fresh;
  }
}

const numberAt = (nowMs: number): number => Math.floor(nowMs / SLOT_MS);
