import type { LoadResult } from './load-contract';
import { percentile } from './percentile';

const ERROR_SAMPLES = 5;

/** Collects the results of a run of the generator. */
export class Tally {
  readonly #startedAtMs = performance.now();
  readonly #latenciesMs: number[] = [];
  readonly #errorSamples: string[] = [];
  #calls = 0;
  #chunks = 0;
  #errors = 0;

  recordSuccess(chunks = 0): void {
    this.#calls++;
    this.#chunks += chunks;
  }

  recordLatency(ms: number): void {
    this.#latenciesMs.push(ms);
  }

  recordError(error: unknown): void {
    this.#errors++;
    if (this.#errorSamples.length < ERROR_SAMPLES) this.#errorSamples.push(String(error));
  }

  get errors(): number {
    return this.#errors;
  }

  result(): LoadResult {
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    return {
      elapsedMs: performance.now() - this.#startedAtMs,
      calls: this.#calls,
      chunks: this.#chunks,
      errors: this.#errors,
      errorSamples: this.#errorSamples,
      p50Ms: percentile(sorted, 0.5),
      p95Ms: percentile(sorted, 0.95),
      p99Ms: percentile(sorted, 0.99),
    };
  }
}
