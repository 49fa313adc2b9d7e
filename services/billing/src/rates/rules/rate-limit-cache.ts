import { isLimited, type RateLimits } from './rate-limits';

const MAX_KEYS = 50_000;

/**
 * Caches the limits of keys, as far as their calls have shown them; other keys are assumed to have none. Admission by cached
 * limits is checked against the key's row, under the lock.
 */
export class RateLimitCache {
  readonly #limits = new Map<string, RateLimits>();

  get(keyId: string): RateLimits | undefined {
    return this.#limits.get(keyId);
  }

  learn(keyId: string, limits: RateLimits): void {
    this.#limits.delete(keyId);
    if (!isLimited(limits)) return;
    this.#limits.set(keyId, limits);
    if (this.#limits.size <= MAX_KEYS) return;
    for (const oldest of this.#limits.keys()) {
      this.#limits.delete(oldest);
      return;
    }
  }
}
