import { GatewayError } from '@gateway/errors';
import { modelNameForRecord } from '@gateway/models';
import type { ModelLookup } from '../../domain/model';

/** Errors for unknown models, which billing does not sum up by. */
const OF_THE_NAME = /model(_not_found)?$/;

/**
 * Returns the model for the record of a refused call. A name that was refused before it was looked up is not used for sums,
 * because callers could invent any number of names for free.
 */
export function recordedModel(models: ModelLookup, name: string, refusal: unknown): string {
  const isTold = refusal instanceof GatewayError && OF_THE_NAME.test(refusal.code);
  return isTold || models.get(name) ? modelNameForRecord(models, name, refusal) : '';
}
