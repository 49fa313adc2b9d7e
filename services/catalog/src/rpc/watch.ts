import type { WatchRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchRequest';
import type { WatchResponse } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import * as grpc from '@grpc/grpc-js';
import type { Catalog } from '../domain/catalog';
import { toProtoUpdate } from './to-proto';

type WatchCall = grpc.ServerWritableStream<WatchRequest__Output, WatchResponse>;

/** Sends the whole catalog first, then every change. */
export class Watchers {
  readonly #catalog: Catalog;
  readonly #open = new Set<WatchCall>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  get count(): number {
    return this.#open.size;
  }

  readonly watch = (call: WatchCall): void => {
    let seen: bigint | undefined;
    let paused = false;
    const send = () => {
      // Nothing is queued for a slow client: when it can take more, it gets all missing changes at once.
      const update = paused ? undefined : this.#catalog.since(seen);
      if (!update) return;
      seen = update.revision;
      paused = !call.write(toProtoUpdate(update));
      if (paused) {
        call.once('drain', () => {
          paused = false;
          send();
        });
      }
    };
    const unsubscribe = this.#catalog.onChange(send);
    this.#open.add(call);
    const close = () => {
      unsubscribe();
      this.#open.delete(call);
    };
    call.on('cancelled', close);
    call.on('close', close);
    call.on('error', close);
    call.sendMetadata(new grpc.Metadata());
    send();
  };

  /** Ends every stream, so that clients switch to another instance and the server can stop. */
  close(): void {
    for (const call of this.#open) call.end();
  }
}
