import { allowsModel as allowlistAllows } from '@gateway/proto/allowed-models';
import type { ApiKey } from './keys';
import type { Model } from './models';

/** Whether a key may call a model. */
export const allowsModel = (
  { allowed_models }: Pick<ApiKey, 'allowed_models'>,
  { slug, output_modalities }: Model,
): boolean => allowlistAllows(allowed_models, { slug, outputModalities: output_modalities });

/** Whether an entry of an allowlist stands for several models. */
export const isModelPattern = (entry: string): boolean => entry.includes('*') || entry.startsWith('type:');

/** Returns the number of entries of an allowlist, such as `3 models`. */
export const allowlistLength = (entries: readonly string[]): string =>
  `${entries.length} ${entries.some(isModelPattern) ? 'allowlist entries' : 'models'}`;
