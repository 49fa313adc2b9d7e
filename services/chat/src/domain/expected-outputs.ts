/** For a key and a model that have answered nothing yet. */
const FIRST_TOKENS = 1_000;
/** The share of the last output in the estimate; the first ones count alike. */
const LEAST_SHARE = 0.2;
const MAX_ENTRIES = 20_000;

interface Estimate {
  tokens: number;
  outputs: number;
}

/** How much output the calls of a key to a model have had lately, in this process. */
export class ExpectedOutputs {
  readonly #estimates = new Map<string, Estimate>();

  /** @param most the most that the call may have, of all choices together */
  expect(keyId: string, model: string, most: number): number {
    const known = this.#estimates.get(nameOf(keyId, model));
    return Math.min(most, known ? Math.ceil(known.tokens) : FIRST_TOKENS);
  }

  learn(keyId: string, model: string, tokens: number): void {
    const name = nameOf(keyId, model);
    const estimate = this.#estimates.get(name) ?? { tokens: 0, outputs: 0 };
    estimate.outputs++;
    estimate.tokens += (tokens - estimate.tokens) * Math.max(LEAST_SHARE, 1 / estimate.outputs);
    // Last in the order in which they are forgotten.
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
