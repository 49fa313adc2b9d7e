import type { Provider } from './provider';

/** All providers in memory. */
export class Providers {
  #revision = -1n;
  #all: readonly Provider[] = [];
  readonly #listeners = new Set<() => void>();

  /** The last revision applied; -1 before the first. */
  get revision(): bigint {
    return this.#revision;
  }

  get loaded(): boolean {
    return this.#revision >= 0n;
  }

  /** Ordered by id. */
  get all(): readonly Provider[] {
    return this.#all;
  }

  replace(revision: bigint, providers: readonly Provider[]): void {
    this.#revision = revision;
    this.#all = providers;
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after every change; returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
