/** A bounded set whose names expire after `ttlMs`; beyond `maxNames` the oldest is evicted. */
export class RecentSet {
  readonly #ttlMs: number;
  readonly #maxNames: number;
  readonly #nowMs: () => number;
  readonly #addedMs = new Map<string, number>();

  constructor(options: { readonly ttlMs: number; readonly maxNames: number; readonly nowMs?: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#maxNames = options.maxNames;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Records the name; returns true if it was not recorded within the last `ttlMs`. */
  add(name: string): boolean {
    const nowMs = this.#nowMs();
    const addedMs = this.#addedMs.get(name);
    if (addedMs !== undefined && nowMs - addedMs < this.#ttlMs) return false;
    this.#addedMs.delete(name);
    this.#addedMs.set(name, nowMs);
    if (this.#addedMs.size > this.#maxNames) {
      const [oldest] = this.#addedMs.keys();
      this.#addedMs.delete(oldest!);
    }
    return true;
  }
}
