import type { Logger } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { StoredSecret__Output } from '@gateway/proto/generated/gateway/catalog/v1/StoredSecret';
import type { WatchProvidersResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchProvidersResponse';
import { PersistentStream } from '@gateway/rpc';

export interface ProviderWatchOptions {
  readonly client: CatalogServiceClient;
  readonly log: Logger;
  /** Receives all providers, and their stored secrets by the id of the credential. */
  onProviders(
    providers: readonly Provider__Output[],
    secrets: Readonly<Record<string, StoredSecret__Output>>,
  ): void;
}

/** Receives the providers of the catalog, first all of them and then all of them again after every change. */
export class ProviderWatch {
  readonly #stream: PersistentStream<WatchProvidersResponse__Output>;

  constructor({ client, log, onProviders }: ProviderWatchOptions) {
    this.#stream = new PersistentStream({
      name: 'providers',
      log,
      open: () => client.WatchProviders({}),
      onMessage: ({ providers, secrets }) => onProviders(providers, secrets),
    });
  }

  close(): void {
    this.#stream.close();
  }
}
