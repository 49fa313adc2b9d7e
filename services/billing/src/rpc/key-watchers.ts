import type { WatchKeysRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysRequest';
import type { WatchKeysResponse } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js';
import type { KeyChanges } from '../domain/key-changes';

type WatchStream = ServerWritableStream<WatchKeysRequest__Output, WatchKeysResponse>;

/** Unsent messages after which a watcher is too slow to be trusted with a cache. */
const MAX_BACKLOG = 1_000;

/** The open `WatchKeys` streams. Each is ended when a change may have been missed: its edge then forgets all. */
export class KeyWatchers {
  readonly #streams = new Map<WatchStream, { backlog: number }>();
  readonly #listening: () => boolean;

  constructor(listening: () => boolean) {
    this.#listening = listening;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** The `WatchKeys` method. */
  readonly watch = (stream: WatchStream): void => {
    if (!this.#listening()) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'key changes are not heard now' });
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

  publish(changes: KeyChanges): void {
    const message = { keyIds: [...changes.keyIds], accountIds: [...changes.accountIds] };
    for (const [stream, state] of this.#streams) {
      if (stream.write(message)) continue;
      state.backlog++;
      if (state.backlog > MAX_BACKLOG) this.#end(stream);
    }
  }

  endAll(): void {
    for (const stream of [...this.#streams.keys()]) this.#end(stream);
  }

  #end(stream: WatchStream): void {
    this.#streams.delete(stream);
    stream.end();
  }
}
