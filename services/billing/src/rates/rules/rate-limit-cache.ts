import { isLimited, type RateTerms } from './rate-terms';

const MAX_KEYS = 50_000;

/**
 * Caches the limits of keys, as far as their calls have shown them; other keys are assumed to have none. Admission by cached
 * limits is checked against the key's row, under the lock.
 */
export class RateLimitCache {
  readonly #terms = new Map<string, RateTerms>();

  get(keyId: string): RateTerms | undefined {
    return this.#terms.get(keyId);
  }

  learn(keyId: string, terms: RateTerms): void {
    this.#terms.delete(keyId);
    if (!isLimited(terms)) return;
    this.#terms.set(keyId, terms);
    if (this.#terms.size <= MAX_KEYS) return;
    for (const oldest of this.#terms.keys()) {
      this.#terms.delete(oldest);
      return;
    }
  }
}
