/** A bounded set whose names expire after `ttlMs`; beyond `maxNames` the oldest is evicted. */
export class RecentSet {
  readonly #ttlMs: number;
  readonly #maxNames: number;
  readonly #nowMs: () => number;
  readonly #notedMs = new Map<string, number>();

  constructor(options: { readonly ttlMs: number; readonly maxNames: number; readonly nowMs?: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#maxNames = options.maxNames;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Records the name; returns true if it was not recorded within the last `ttlMs`. */
  note(name: string): boolean {
    const nowMs = this.#nowMs();
    const notedMs = this.#notedMs.get(name);
    if (notedMs !== undefined && nowMs - notedMs < this.#ttlMs) return false;
    this.#notedMs.delete(name);
    this.#notedMs.set(name, nowMs);
    if (this.#notedMs.size > this.#maxNames) {
      for (const oldest of this.#notedMs.keys()) {
        this.#notedMs.delete(oldest);
        break;
      }
    }
    return true;
  }
}
