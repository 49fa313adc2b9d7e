import type { WatchProvidersRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchProvidersRequest';
import type { WatchProvidersResponse } from '@gateway/proto/generated/gateway/catalog/v1/WatchProvidersResponse';
import * as grpc from '@grpc/grpc-js';
import type { Providers } from '../domain/providers';
import { toProtoProvider, toProtoSecret } from './to-proto-provider';

type WatchCall = grpc.ServerWritableStream<WatchProvidersRequest__Output, WatchProvidersResponse>;

/** Sends all providers first, then all of them after every change: they are few. */
export class ProviderWatchers {
  readonly #providers: Providers;
  readonly #open = new Set<WatchCall>();

  constructor(providers: Providers) {
    this.#providers = providers;
  }

  readonly watch = (call: WatchCall): void => {
    let sent: bigint | undefined;
    let paused = false;
    const send = () => {
      // A slow client gets the newest state when it can take more.
      if (paused || !this.#providers.loaded || sent === this.#providers.revision) return;
      sent = this.#providers.revision;
      paused = !call.write(this.#response());
      if (paused) {
        call.once('drain', () => {
          paused = false;
          send();
        });
      }
    };
    const unsubscribe = this.#providers.onChange(send);
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

  #response(): WatchProvidersResponse {
    const providers = this.#providers.all;
    const credentials = providers.flatMap((provider) => provider.credentials);
    return {
      providers: providers.map(toProtoProvider),
      secrets: Object.fromEntries(credentials.map(({ id, secret }) => [id, toProtoSecret(secret)])),
    };
  }
}
