import { GatewayError } from '@gateway/errors';
import { modelNameForRecord } from '@gateway/models';
import type { ModelLookup } from '../../domain/model';

/** Errors for unknown models, which billing does not sum up by. */
const MODEL_NAME_ERRORS = /model(_not_found)?$/;

/**
 * Returns the model for the record of a refused call. A name that was refused before it was looked up is not used for sums,
 * because callers could invent any number of names for free.
 */
export function recordedModel(models: ModelLookup, name: string, refusal: unknown): string {
  const isModelNameError = refusal instanceof GatewayError && MODEL_NAME_ERRORS.test(refusal.code);
  return isModelNameError || models.get(name) ? modelNameForRecord(models, name, refusal) : '';
}
