import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { WatchResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { PersistentStream } from '@gateway/rpc';
import type { CatalogModel } from '../domain/listed-model';
import { fromProtoModel } from './from-proto-model';

/** The catalog in memory: current while catalog can be reached, the last known one otherwise. */
export class ModelDirectory {
  readonly #stream: PersistentStream<WatchResponse__Output>;
  #models: Map<string, CatalogModel> | undefined;

  constructor(client: CatalogServiceClient, log: Logger) {
    this.#stream = new PersistentStream<WatchResponse__Output>({
      name: 'catalog.Watch',
      log,
      open: () => client.Watch({}),
      onMessage: (message) => this.#apply(message),
    });
  }

  get loaded(): boolean {
    return this.#models !== undefined;
  }

  /** Returns every model by slug. Throws `internal_error` until the catalog has been received. */
  all(): ReadonlyMap<string, CatalogModel> {
    if (this.#models) return this.#models;
    throw new GatewayError('internal_error', { cause: new Error('no catalog received yet') });
  }

  /** Returns the model with that slug or alias. Throws as `all` does. */
  find(name: string): CatalogModel | undefined {
    const models = this.all();
    return models.get(name) ?? [...models.values()].find(({ aliases }) => aliases.includes(name));
  }

  /** Adds a change that catalog has confirmed before its stream delivers it. */
  record(model: Model__Output): void {
    // Without the rest of the catalog, the directory would seem complete.
    if (this.#models) this.#models = new Map([...this.#models, [model.slug, fromProtoModel(model)]]);
  }

  close(): void {
    this.#stream.close();
  }

  #apply({ snapshot, models }: WatchResponse__Output): void {
    const entries = models.map((model) => [model.slug, fromProtoModel(model)] as const);
    const kept = snapshot || !this.#models ? [] : this.#models;
    this.#models = new Map([...kept, ...entries]);
  }
}
