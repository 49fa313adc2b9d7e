export interface NamedModel {
  readonly slug: string;
  readonly active: boolean;
  readonly preview: boolean;
  /** Other names, with or without a provider. */
  readonly aliases: readonly string[];
}

/** Excluded because the names of the simulator's models are common words. */
const SIMULATOR = 'sim/';
/** Clients send these when the user has chosen no model. */
const PLACEHOLDERS = new Set(['any', 'auto', 'default', 'latest', 'none', 'null', 'undefined']);

export const isPlaceholder = (name: string): boolean => PLACEHOLDERS.has(name);

/** Whether the name has no provider. */
export const isBareName = (name: string): boolean => !name.includes('/');

/**
 * Maps each alias and each bare name to its model. A bare name is an alias without a provider, or is derived from the
 * part after the provider in a slug or alias, if exactly one active model has it that is neither a preview nor the
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
    if (model && !names.has(name) && !isPlaceholder(name)) names.set(name, model);
  }
  return names;
}
