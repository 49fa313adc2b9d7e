import { hash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { RequestCoalescer } from '@gateway/quota';

/** A key as billing resolved it. */
export interface ResolvedKey {
  readonly context: KeyContext;
  /** When the answer expires, in milliseconds since the epoch; 0: when it is invalidated. */
  readonly validUntilMs: number;
}

export interface KeyCacheOptions {
  /** Resolves the key at billing. Rejects with the error to answer. */
  readonly resolve: (key: string) => Promise<ResolvedKey>;
  readonly maxEntries: number;
  /** Minimum time between two lookups of a refused value, and how many such values are remembered. */
  readonly refusedKeyRetryMs: number;
  readonly maxRefusedKeys: number;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** `delayed`: the value was refused a moment ago, so the next lookup waits. */
export type KeyLookup = 'hit' | 'joined' | 'delayed' | 'resolved';

interface Entry {
  readonly resolved: ResolvedKey;
  readonly sinceMs: number;
}

/**
 * Caches resolved keys by digest while the billing of their cell pushes changes; without the push stream every call is resolved.
 * A cached key may be slightly outdated, and billing decides when the call reserves. A refusal is final, so it is
 * never answered from the cache, nor from a lookup that is older than the call.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #refused: RequestCoalescer<ResolvedKey>;
  #resolving = new Map<string, Promise<ResolvedKey>>();
  /** Cells whose billing pushes changes. */
  readonly #watched = new Set<string>();
  /** Changes with every push, so that answers of lookups in flight at that moment are not cached. */
  #generation = 0;
  readonly lookups: Record<KeyLookup, number> = { hit: 0, joined: 0, delayed: 0, resolved: 0 };

  constructor(options: KeyCacheOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#refused = new RequestCoalescer({
      gapMs: options.refusedKeyRetryMs,
      maxIds: options.maxRefusedKeys,
      now: this.#now,
      ...(options.wait && { wait: options.wait }),
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** `maxAgeMs` bounds the age of a cached answer, for calls that nothing checks later. */
  async resolve(key: string, maxAgeMs = Number.POSITIVE_INFINITY): Promise<ResolvedKey> {
    const digest = hash('sha256', key, 'base64url');
    const nowMs = this.#now();
    const entry = this.#freshEntry(digest, nowMs, maxAgeMs);
    if (entry) {
      this.lookups.hit += 1;
      return entry.resolved;
    }
    const underWay = this.#resolving.get(digest);
    if (underWay) {
      this.lookups.joined += 1;
      const answer = await underWay.catch(unlessRefusal);
      if (answer) return answer;
    }
    let sent = false;
    const answer = this.#refused.request(digest, () => {
      sent = true;
      return this.#ask(key, digest);
    });
    if (!sent) this.lookups.delayed += 1;
    return answer;
  }

  /** The push stream of the cell is up. @param cell empty: home */
  watch(cell: string): void {
    this.#watched.add(cell);
    this.#forget(({ context }) => cellOf(context) === cell);
  }

  /** The push stream of the cell is lost. */
  unwatch(cell: string): void {
    // Reported again for each failed reconnection.
    if (this.#watched.delete(cell)) this.#forget(({ context }) => cellOf(context) === cell);
  }

  invalidate(keyIds: readonly string[], accountIds: readonly string[]): void {
    const keys = new Set(keyIds);
    const accounts = new Set(accountIds);
    this.#forget(({ context: { keyId = '', accountId = '' } }) => keys.has(keyId) || accounts.has(accountId));
  }

  #forget(isOutdated: (resolved: ResolvedKey) => boolean): void {
    this.#generation += 1;
    // Later callers must not join a lookup that may be older than the change.
    this.#resolving = new Map();
    this.#refused.clear();
    for (const [digest, { resolved }] of this.#entries)
      if (isOutdated(resolved)) this.#entries.delete(digest);
  }

  #freshEntry(digest: string, nowMs: number, maxAgeMs: number): Entry | undefined {
    const entry = this.#entries.get(digest);
    if (!entry) return undefined;
    const { validUntilMs } = entry.resolved;
    if (validUntilMs !== 0 && validUntilMs <= nowMs) {
      this.#entries.delete(digest);
      return undefined;
    }
    if (nowMs - entry.sinceMs > maxAgeMs) return undefined;
    // Least recently used entries are evicted first.
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    return entry;
  }

  #ask(key: string, digest: string): Promise<ResolvedKey> {
    this.lookups.resolved += 1;
    const generation = this.#generation;
    const resolving = this.#resolving;
    const sinceMs = this.#now();
    const answer = this.#options
      .resolve(key)
      .then(
        (resolved) => {
          this.#refused.forget(digest);
          if (this.#mayKeep(generation, resolved)) this.#keep(digest, { resolved, sinceMs });
          return resolved;
        },
        (thrown) => {
          this.#entries.delete(digest);
          throw GatewayError.from(thrown);
        },
      )
      .finally(() => resolving.delete(digest));
    resolving.set(digest, answer);
    return answer;
  }

  #mayKeep(generation: number, { context }: ResolvedKey): boolean {
    return this.#watched.has(cellOf(context)) && generation === this.#generation;
  }

  #keep(digest: string, entry: Entry): void {
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    if (this.#entries.size <= this.#options.maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}

const cellOf = ({ cell = '' }: KeyContext): string => cell;

function unlessRefusal(error: unknown): undefined {
  if (!(error instanceof GatewayError) || error.row.status !== 401) throw error;
}
