import type { Model } from './model';

/** What changed after a revision, or everything. */
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

  /** The last revision taken in; -1 before the first. */
  get revision(): bigint {
    return this.#revision;
  }

  get loaded(): boolean {
    return this.#revision >= 0n;
  }

  /** Takes in the changes up to `revision`, or everything if `snapshot`. */
  apply(update: CatalogUpdate): void {
    if (!update.snapshot && update.revision <= this.#revision) return;
    if (update.snapshot) this.#entries = new Map();
    for (const model of update.models) this.#entries.set(model.slug, { model, revision: update.revision });
    this.#revision = update.revision;
    for (const listener of this.#listeners) listener();
  }

  /** What someone who has seen `revision` lacks; undefined when nothing. */
  since(revision: bigint | undefined): CatalogUpdate | undefined {
    if (revision === this.#revision || !this.loaded) return undefined;
    // A lower revision than was seen means another database: only the whole catalog is right.
    const snapshot = revision === undefined || revision > this.#revision;
    const models = [...this.#entries.values()]
      .filter((entry) => snapshot || entry.revision > revision)
      .map((entry) => entry.model);
    return { revision: this.#revision, snapshot, models };
  }

  /** Calls back after every change; answers how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
