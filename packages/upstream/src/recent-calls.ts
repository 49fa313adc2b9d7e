import { toGatewayError, type UpstreamFailure } from './upstream-failure';

const SLOT_MS = 30_000;
const SLOTS = 10;
/** What calls are counted over. */
export const RECENT_MS = SLOT_MS * SLOTS;

interface Slot {
  /** Which one since the clock's zero. */
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
  /** Calls whose latency is known. */
  readonly timed: number;
  readonly latencySumMs: number;
  readonly latencyMaxMs: number;
  /** Of all its life. */
  readonly lastFailure?: {
    /** Of the public error table. */
    readonly code: string;
    /** 0: the provider gave none. */
    readonly status: number;
    readonly agoMs: number;
  };
}

/** What became of the calls to one target in the last minutes, in as much room however many they were. */
export class RecentCalls {
  /** By number, modulo how many there are. */
  readonly #slots: (Slot | undefined)[] = [];
  #lastFailure: { code: string; status: number; atMs: number } | undefined;

  /** @param tookMs absent: the call says nothing about how fast the target is */
  answered(nowMs: number, tookMs?: number): void {
    const slot = this.#slot(nowMs);
    slot.calls++;
    if (tookMs === undefined) return;
    slot.timed++;
    slot.latencySumMs += tookMs;
    slot.latencyMaxMs = Math.max(slot.latencyMaxMs, tookMs);
  }

  failed(nowMs: number, failure: UpstreamFailure): void {
    const slot = this.#slot(nowMs);
    slot.calls++;
    slot.errors++;
    const status = failure.kind === 'status' ? failure.status : 0;
    this.#lastFailure = { code: toGatewayError(failure).code, status, atMs: nowMs };
  }

  /** A reply that has been counted as an answer broke off. */
  broke(nowMs: number): void {
    this.#slot(nowMs).errors++;
    this.#lastFailure = { code: 'upstream_failed', status: 0, atMs: nowMs };
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
