import type { CallToAdmit } from '../reserve/rules/admission';

const WINDOW_MS = 60_000;
const BUCKET_MS = 500;

interface Bucket {
  readonly number: number;
  /** Time of its last count; a minute later the bucket leaves the window. */
  lastMs: number;
  requests: number;
  tokens: number;
}

export interface NaiveCall {
  readonly prompt: number;
  readonly output: number;
  readonly free: boolean;
}

/** An admitted call and its counted tokens. */
export interface NaiveEntry {
  readonly bucket: number;
  readonly taken: number;
  counted: number;
  sequence: number;
  /** Tokens counted in the bucket of the admission (`held`) and in the bucket of the last report (`latest`). */
  held: number;
  latest: number;
  latestBucket: number;
}

export interface NaiveLimits {
  readonly rpm: number | null;
  readonly tpm: number | null;
}

/** A naive rate limiter: keeps every bucket and sums them up for each call. */
export class NaiveRates {
  readonly #buckets = new Map<number, Bucket>();

  window(nowMs: number): { requests: number; tokens: number } {
    const sums = { requests: 0, tokens: 0 };
    for (const { lastMs, requests, tokens } of this.#buckets.values()) {
      if (lastMs + WINDOW_MS <= nowMs) continue;
      sums.requests += requests;
      sums.tokens += tokens;
    }
    return sums;
  }

  /** Returns the seconds until the window has no requests or no tokens. */
  reset(nowMs: number, of: 'requests' | 'tokens'): number {
    const lastMs = [...this.#buckets.values()].filter((bucket) => bucket[of] > 0).map((one) => one.lastMs);
    return Math.max(0, Math.ceil((Math.max(0, ...lastMs) + WINDOW_MS - nowMs) / 1_000));
  }

  /** Counts the call, or returns the error code and the seconds to wait; -1 if waiting does not help. */
  take(nowMs: number, limits: NaiveLimits, call: NaiveCall): NaiveEntry | { code: string; wait: number } {
    const taken = call.free ? 0 : call.prompt + call.output;
    const prompt = taken > 0 ? Math.max(1, call.prompt) : 0;
    const excess = () => this.#excess(nowMs, limits, prompt);
    const { requests, tokens } = excess();
    if (requests <= 0 && tokens <= 0) {
      const bucket = this.#count(nowMs, 1, taken);
      return { bucket, taken, counted: taken, sequence: -1, held: taken, latest: 0, latestBucket: -1 };
    }
    const code = requests > 0 ? 'rpm_rate_limited' : 'tpm_rate_limited';
    for (let wait = 1; wait <= 60; wait++) {
      const later = this.#excess(nowMs + wait * 1_000, limits, prompt);
      if (later.requests <= 0 && later.tokens <= 0) return { code, wait };
    }
    return { code, wait: -1 };
  }

  /** Returns by how much the call would exceed the limits. */
  #excess(nowMs: number, { rpm, tpm }: NaiveLimits, prompt: number): { requests: number; tokens: number } {
    const used = this.window(nowMs);
    const fitsEmpty = tpm !== null && used.tokens === 0 && tpm > 0 && prompt / 1.25 <= tpm;
    return {
      requests: rpm === null ? 0 : used.requests + 1 - rpm,
      tokens: tpm === null || prompt === 0 || fitsEmpty ? 0 : used.tokens + prompt - tpm,
    };
  }

  release(nowMs: number, entry: NaiveEntry): void {
    this.#release(nowMs, entry.bucket, 1, entry.taken);
  }

  /** Counts the usage that a report or the end of the call states. */
  use(nowMs: number, entry: NaiveEntry, used: number, sequence: number): void {
    if (sequence <= entry.sequence) return;
    entry.sequence = sequence;
    const more = used - entry.counted;
    if (more > 0) {
      const bucket = this.#count(nowMs, 0, more);
      entry.latest = bucket === entry.latestBucket ? entry.latest + more : more;
      entry.latestBucket = bucket;
    } else {
      const back = this.#release(nowMs, entry.latestBucket, 0, Math.min(-more, entry.latest));
      entry.latest -= back;
      entry.held -= this.#release(nowMs, entry.bucket, 0, Math.min(-more - back, entry.held));
    }
    entry.counted = used;
  }

  #count(nowMs: number, requests: number, tokens: number): number {
    const number = Math.floor(nowMs / BUCKET_MS);
    const bucket = this.#buckets.get(number) ?? { number, lastMs: nowMs, requests: 0, tokens: 0 };
    this.#buckets.set(number, bucket);
    bucket.lastMs = nowMs;
    bucket.requests += requests;
    bucket.tokens += tokens;
    return number;
  }

  #release(nowMs: number, number: number, requests: number, tokens: number): number {
    const bucket = this.#buckets.get(number);
    if (!bucket || bucket.lastMs + WINDOW_MS <= nowMs) return 0;
    const back = Math.min(tokens, bucket.tokens);
    bucket.requests -= Math.min(requests, bucket.requests);
    bucket.tokens -= back;
    return back;
  }
}

export const callToRate = (keyId: string, { prompt, output, free }: NaiveCall): CallToAdmit => ({
  requestId: '',
  accountId: '',
  keyId,
  valueId: '',
  model: '',
  ownerId: '',
  ownerEpoch: 0n,
  boundNano: 0n,
  floorNano: 0n,
  promptTokens: BigInt(prompt),
  outputTokens: BigInt(output),
  free,
  needsFunds: false,
  scopes: [],
  clientAddress: '',
  callerNamedMaximum: false,
  makesTask: false,
  taskId: '',
  endpoint: '',
  isNew: true,
  mayHaveHold: false,
  modelOutputs: [],
  bareModelName: false,
});
