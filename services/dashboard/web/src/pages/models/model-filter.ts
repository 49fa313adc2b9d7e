import type { Model, ModelType } from '../../api/models';
import { kindsOf, providerOf } from './model-kinds';

export interface ModelFilter {
  /** Words that must all occur in name, slug or aliases. */
  readonly search: string;
  readonly kind: ModelType | '';
  readonly provider: string;
}

export function matches(model: Model, { search, kind, provider }: ModelFilter): boolean {
  const text = [model.name, model.slug, ...model.aliases].join(' ').toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return (
    words.every((word) => text.includes(word)) &&
    (kind === '' || kindsOf(model).includes(kind)) &&
    (provider === '' || providerOf(model) === provider)
  );
}
