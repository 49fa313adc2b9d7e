import { GatewayError } from '@gateway/errors';
import type { ModelEntry } from '../domain/model';
import { fromSeedModel } from './from-seed';
import { modelSchema, problemsOf } from './seed-schema';
import { toSeedModel } from './to-seed';

/**
 * Refuses, with `invalid_request`, an entry that the seed would refuse: it is validated in the form of the seed's files, so that
 * there is one set of rules.
 */
export function checkEntry(entry: ModelEntry): ModelEntry {
  const result = modelSchema.safeParse(toSeedModel(entry));
  if (result.success) return fromSeedModel(result.data);
  throw new GatewayError('invalid_request', { detail: problemsOf(result.error).slice(0, 10).join('; ') });
}
