import type { Model } from './model';

/** The changes after a revision, or the whole catalog. */
export interface CatalogUpdate {
  readonly revision: bigint;
  readonly snapshot: boolean;
  readonly models: readonly Model[];
}

/** The models in memory, each with the revision that last changed it. */
export class Catalog {
  #revision = -1n;
  #entries = new Map<string, { model: Model; revision: bigint }>();
  readonly #listeners = new Set<() => void>();

  /** The last revision applied; -1 before the first. */
  get revision(): bigint {
    return this.#revision;
  }

  get loaded(): boolean {
    return this.#revision >= 0n;
  }

  /** Applies the changes up to `revision`, or replaces everything if `snapshot`. */
  apply(update: CatalogUpdate): void {
    if (!update.snapshot && update.revision <= this.#revision) return;
    if (update.snapshot) this.#entries = new Map();
    for (const model of update.models) this.#entries.set(model.slug, { model, revision: update.revision });
    this.#revision = update.revision;
    for (const listener of this.#listeners) listener();
  }

  /** Returns the changes after `revision`; undefined if there are none. */
  since(revision: bigint | undefined): CatalogUpdate | undefined {
    if (revision === this.#revision || !this.loaded) return undefined;
    // A client with a higher revision has seen another database, so it needs the whole catalog.
    const snapshot = revision === undefined || revision > this.#revision;
    const models = [...this.#entries.values()]
      .filter((entry) => snapshot || entry.revision > revision)
      .map((entry) => entry.model);
    return { revision: this.#revision, snapshot, models };
  }

  /** Calls back after every change; returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
