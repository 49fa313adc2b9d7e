import { GatewayError } from '@gateway/errors';
import { canAccess, findModelByName, ModelNotAllowed, type ModelPermissions } from '@gateway/models';
import { catalogNotReceived } from '../../domain/catalog-not-received';
import type { AudioOffer, AudioOutput, Model, ModelLookup } from '../../domain/model';

export interface AudioModel {
  readonly model: Model;
  readonly offer: AudioOffer;
}

/**
 * Returns the model with this slug, alias or bare name that has this output, if the key may call it.
 * @throws GatewayError `invalid_model` for a string that is not a model name; `model_not_found` for every other reason; both as a
 * ModelPermissionError if the key is the reason; `internal_error` while the catalog has not been received
 */
export function resolveAudioModel(
  models: ModelLookup & { readonly loaded: boolean },
  output: AudioOutput,
  name: string,
  access: ModelPermissions,
): AudioModel {
  if (!models.loaded) throw catalogNotReceived();
  const model = findModelByName(models, name, access);
  if (!model?.active || !model.audio || !model.outputModalities.includes(output))
    throw new GatewayError('model_not_found');
  if (!canAccess(model, access)) throw new ModelNotAllowed(model);
  return { model, offer: model.audio };
}
