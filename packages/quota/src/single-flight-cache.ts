export interface SingleFlightCacheOptions<T> {
  /** How long a result is reused. */
  keepMs(result: T): number;
  readonly maxEntries: number;
  readonly nowMs: () => number;
}

interface Entry<T> {
  readonly result: Promise<T>;
  /** Infinite while it is pending. */
  staleAtMs: number;
}

/** Runs one request per id at a time and shares its result with concurrent callers and callers soon after. Failures are not kept. */
export class SingleFlightCache<T> {
  readonly #options: SingleFlightCacheOptions<T>;
  /** In order of insertion. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: SingleFlightCacheOptions<T>) {
    this.#options = options;
  }

  /**
   * Returns the cached result for the id, or the result of `request`.
   * @param request must have its own timeout: it continues when its callers disconnect
   */
  async get(id: string, request: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(id);
    if (known && this.#options.nowMs() < known.staleAtMs) return known.result;
    const entry: Entry<T> = { result: request(), staleAtMs: Number.POSITIVE_INFINITY };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    this.#evict();
    try {
      const result = await entry.result;
      entry.staleAtMs = this.#options.nowMs() + this.#options.keepMs(result);
      return result;
    } catch (error) {
      this.#entries.delete(id);
      throw error;
    }
  }

  /** Drops stale entries from the oldest on, and the oldest ones beyond the maximum; never pending ones. */
  #evict(): void {
    const nowMs = this.#options.nowMs();
    for (const [id, { staleAtMs }] of this.#entries) {
      if (nowMs < staleAtMs && this.#entries.size <= this.#options.maxEntries) return;
      if (staleAtMs !== Number.POSITIVE_INFINITY) this.#entries.delete(id);
    }
  }
}
