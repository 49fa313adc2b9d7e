import type { WatchKeysRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysRequest';
import type { WatchKeysResponse } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js';
import type { KeyChanges } from '../keys/rules/key-changes';

type WatchStream = ServerWritableStream<WatchKeysRequest__Output, WatchKeysResponse>;

/** Unsent messages after which a watcher is too slow to keep a cache. */
const MAX_BACKLOG = 1_000;

/** Time after which a change is answered even if its notification has not arrived. */
const TOLD_TIMEOUT_MS = 500;

/** The open `WatchKeys` streams. Streams are ended when a change may have been missed: their edges then clear their caches. */
export class KeyWatchers {
  readonly #streams = new Map<WatchStream, { backlog: number }>();
  readonly #listening: () => boolean;
  readonly #awaited = new Map<string, Set<() => void>>();

  constructor(listening: () => boolean) {
    this.#listening = listening;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** The `WatchKeys` method. */
  readonly watch = (stream: WatchStream): void => {
    if (!this.#listening()) {
      stream.emit('error', { code: status.UNAVAILABLE, details: "key changes can't be received now" });
      return;
    }
    this.#streams.set(stream, { backlog: 0 });
    const left = () => this.#streams.delete(stream);
    stream.on('cancelled', left);
    stream.on('error', left);
    stream.on('close', left);
    stream.on('drain', () => {
      const state = this.#streams.get(stream);
      if (state) state.backlog = 0;
    });
    stream.sendMetadata(new Metadata());
  };

  /**
   * Runs a change of this key or account and answers when its watchers have been notified. The change takes effect without that,
   * but an edge that knows it refuses the key's next call before any other check.
   */
  async afterNotifying<T>(id: string, change: () => Promise<T>): Promise<T> {
    let tell = () => {};
    const notified = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const waiting = this.#awaited.get(id) ?? new Set();
    this.#awaited.set(id, waiting.add(tell));
    let timer: NodeJS.Timeout | undefined;
    try {
      const result = await change();
      timer = setTimeout(tell, TOLD_TIMEOUT_MS);
      if (this.#listening()) await notified;
      return result;
    } finally {
      clearTimeout(timer);
      waiting.delete(tell);
      if (waiting.size === 0 && this.#awaited.get(id) === waiting) this.#awaited.delete(id);
    }
  }

  publish(changes: KeyChanges): void {
    const message = { keyIds: [...changes.keyIds], accountIds: [...changes.accountIds] };
    for (const [stream, state] of this.#streams) {
      if (stream.write(message)) continue;
      state.backlog++;
      if (state.backlog > MAX_BACKLOG) this.#end(stream);
    }
    for (const id of [...changes.keyIds, ...changes.accountIds]) {
      for (const tell of this.#awaited.get(id) ?? []) tell();
    }
  }

  endAll(): void {
    for (const stream of [...this.#streams.keys()]) this.#end(stream);
    // Edges clear their caches, so waiting changes count as notified.
    for (const waiting of this.#awaited.values()) for (const tell of waiting) tell();
  }

  #end(stream: WatchStream): void {
    this.#streams.delete(stream);
    stream.end();
  }
}
