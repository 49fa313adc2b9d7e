/** Expected output of a key and model without recent outputs. */
const FIRST_TOKENS = 1_000;
/** Weight of the latest output in the estimate; the first outputs have equal weights. */
const LEAST_SHARE = 0.2;
const MAX_ENTRIES = 20_000;

interface Estimate {
  tokens: number;
  outputs: number;
}

/** Estimates the output of the next call from recent outputs of its key and model, in this process. */
export class ExpectedOutputs {
  readonly #estimates = new Map<string, Estimate>();

  /** @param most maximum output of the call, of all choices together */
  expect(keyId: string, model: string, most: number): number {
    const known = this.#estimates.get(nameOf(keyId, model));
    return Math.min(most, known ? Math.ceil(known.tokens) : FIRST_TOKENS);
  }

  learn(keyId: string, model: string, tokens: number): void {
    const name = nameOf(keyId, model);
    const estimate = this.#estimates.get(name) ?? { tokens: 0, outputs: 0 };
    estimate.outputs++;
    estimate.tokens += (tokens - estimate.tokens) * Math.max(LEAST_SHARE, 1 / estimate.outputs);
    // Moves the entry to the end of the eviction order.
    this.#estimates.delete(name);
    this.#estimates.set(name, estimate);
    if (this.#estimates.size <= MAX_ENTRIES) return;
    for (const oldest of this.#estimates.keys()) {
      this.#estimates.delete(oldest);
      return;
    }
  }
}

const nameOf = (keyId: string, model: string): string => `${keyId} ${model}`;
