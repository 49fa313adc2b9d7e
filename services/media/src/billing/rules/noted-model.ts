import { GatewayError } from '@gateway/errors';
import { modelNameForRecord } from '@gateway/models';
import type { ModelLookup } from '../../domain/model';

/** Errors that say that there is no such model, which billing does not sum up by. */
const OF_THE_NAME = /model(_not_found)?$/;

/**
 * The model that the record of a refused call names. What was refused before its model was looked up is summed up by no
 * name of the caller's own making: anyone could make as many as they like, without a cent.
 */
export function notedModel(models: ModelLookup, name: string, refusal: unknown): string {
  const isTold = refusal instanceof GatewayError && OF_THE_NAME.test(refusal.code);
  return isTold || models.get(name) ? modelNameForRecord(models, name, refusal) : '';
}
