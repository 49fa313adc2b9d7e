import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { WatchResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { PersistentStream } from '@gateway/rpc';
import type { CatalogModel } from '../domain/listed-model';
import { fromProtoModel } from './from-proto-model';

/** The catalog in memory: fresh while catalog can be reached, the last known when it can't. */
export class ModelDirectory {
  readonly #stream: PersistentStream<WatchResponse__Output>;
  #models: Map<string, CatalogModel> | undefined;

  constructor(client: CatalogServiceClient, log: Logger) {
    this.#stream = new PersistentStream<WatchResponse__Output>({
      name: 'catalog.Watch',
      log,
      open: () => client.Watch({}),
      onMessage: (message) => this.#take(message),
    });
  }

  get loaded(): boolean {
    return this.#models !== undefined;
  }

  /** Every model by slug. Throws `internal_error` while none was ever received. */
  all(): ReadonlyMap<string, CatalogModel> {
    if (this.#models) return this.#models;
    throw new GatewayError('internal_error', { cause: new Error('no catalog received yet') });
  }

  /** The model of that slug or alias. Throws as `all` does. */
  find(name: string): CatalogModel | undefined {
    const models = this.all();
    return models.get(name) ?? [...models.values()].find(({ aliases }) => aliases.includes(name));
  }

  /** Takes in a change that catalog has just confirmed, which its stream may still be bringing. */
  note(model: Model__Output): void {
    // Without the rest of the catalog it would seem to be all there is.
    if (this.#models) this.#models = new Map([...this.#models, [model.slug, fromProtoModel(model)]]);
  }

  close(): void {
    this.#stream.close();
  }

  #take({ snapshot, models }: WatchResponse__Output): void {
    const entries = models.map((model) => [model.slug, fromProtoModel(model)] as const);
    const kept = snapshot || !this.#models ? [] : this.#models;
    this.#models = new Map([...kept, ...entries]);
  }
}
