import { indexNames, type NamedModel } from '@gateway/models';
import type { Logger } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { WatchResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { PersistentStream } from '@gateway/rpc';

export interface CatalogWatchOptions<Model> {
  readonly client: CatalogServiceClient;
  readonly log: Logger;
  /** Converts an entry to the service's own model type. */
  fromProto(model: Model__Output): Model;
}

/** An in-memory copy of the catalog, updated by a stream and usable while the catalog service is down. */
export class CatalogWatch<Model extends NamedModel> {
  readonly #stream: PersistentStream<WatchResponse__Output>;
  readonly #fromProto: (model: Model__Output) => Model;
  #models = new Map<string, Model>();
  #names = new Map<string, Model>();
  #loaded = false;

  constructor({ client, log, fromProto }: CatalogWatchOptions<Model>) {
    this.#fromProto = fromProto;
    this.#stream = new PersistentStream({
      name: 'catalog',
      log,
      open: () => client.Watch({}),
      onMessage: (message) => this.#apply(message),
    });
  }

  /** True once a complete catalog has been received. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Returns the model with that slug, alias or bare name. Does not check whether a key may use bare names. */
  get(name: string): Model | undefined {
    return this.#models.get(name) ?? this.#names.get(name);
  }

  /** Returns all models, sorted by slug. */
  all(): Model[] {
    return [...this.#models.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1));
  }

  close(): void {
    this.#stream.close();
  }

  #apply(message: WatchResponse__Output): void {
    if (message.snapshot) this.#models = new Map();
    for (const model of message.models) this.#models.set(model.slug, this.#fromProto(model));
    this.#names = indexNames(this.#models.values());
    if (message.snapshot) this.#loaded = true;
  }
}
