export interface NamedModel {
  readonly slug: string;
  readonly active: boolean;
  readonly preview: boolean;
  /** Other names, with or without a provider. */
  readonly aliases: readonly string[];
}

/** The simulator's models have names of common words. */
const SIMULATOR = 'sim/';
/** Clients send these where their user has chosen no model; they never stand for one. */
const PLACEHOLDERS = new Set(['auto', 'default']);

/** A name without a provider. */
export const isBareName = (name: string): boolean => !name.includes('/');

/**
 * Returns what each alias and each bare name stands for. A bare name is an alias without a provider, or else derived:
 * what follows the provider in the slug or an alias of exactly one model that is active, not a preview and not the
 * simulator's.
 */
export function indexNames<M extends NamedModel>(models: Iterable<M>): Map<string, M> {
  const names = new Map<string, M>();
  const bare = new Map<string, M | undefined>();
  for (const model of models) {
    for (const alias of model.aliases) names.set(alias, model);
    if (!model.active || model.preview || model.slug.startsWith(SIMULATOR)) continue;
    for (const name of [model.slug, ...model.aliases]) {
      const short = name.slice(name.indexOf('/') + 1);
      bare.set(short, bare.has(short) && bare.get(short) !== model ? undefined : model);
    }
  }
  for (const [name, model] of bare) {
    if (model && !names.has(name) && !PLACEHOLDERS.has(name)) names.set(name, model);
  }
  return names;
}
