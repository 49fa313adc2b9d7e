import type { KeyLimits } from './keys';
import type { Model } from './models';

/** Whether a key may call a model, by the rules of the API for slugs, patterns and types. */
export const allowsModel = (
  { allowed_models: entries }: Pick<KeyLimits, 'allowed_models'>,
  model: Model,
): boolean => entries.length === 0 || entries.some((entry) => matches(entry, model));

function matches(entry: string, { slug, output_modalities: outputs }: Model): boolean {
  const [, type] = /^type:(.*)$/.exec(entry) ?? [];
  if (type !== undefined) return outputs.includes(type === 'chat' ? 'text' : type);
  const [start, end] = entry.split('*');
  if (start === undefined || end === undefined) return entry === slug;
  return slug.length >= start.length + end.length && slug.startsWith(start) && slug.endsWith(end);
}

/** Whether an entry of an allowlist stands for several models. */
export const isModelPattern = (entry: string): boolean => entry.includes('*') || entry.startsWith('type:');

/** Returns the number of entries of an allowlist, such as `3 models`. */
export const allowlistLength = (entries: readonly string[]): string =>
  `${entries.length} ${entries.some(isModelPattern) ? 'allowlist entries' : 'models'}`;
