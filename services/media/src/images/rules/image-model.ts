import { GatewayError } from '@gateway/errors';
import { canAccess, findModelByName, ModelNotAllowed, type ModelPermissions } from '@gateway/models';
import type { ImageOffer, Model, ModelLookup } from '../../domain/model';

export interface ImageModel {
  readonly model: Model;
  readonly offer: ImageOffer;
}

/**
 * Returns the image model of that slug, alias or bare name, if this key may call it.
 * @param isProvider whether there are models of a provider of that name
 * @throws GatewayError `image_model_not_found` for a provider's bare name and for a listed model that makes no images
 * or is not active; `invalid_model` for any other string that is no model name; `model_not_found` for what was never
 * listed or is kept from this key, whatever it makes; the last two as a ModelPermissionError where the key is the reason
 */
export function resolveImageModel(
  models: ModelLookup,
  isProvider: (name: string) => boolean,
  name: string,
  access: ModelPermissions,
): ImageModel {
  if (isProvider(name) && !models.get(name)) throw new GatewayError('image_model_not_found');
  const model = findModelByName(models, name, access);
  if (!model) throw new GatewayError('model_not_found');
  if (!canAccess(model, access)) throw new ModelNotAllowed(model);
  if (!model.active || !model.image || !model.outputModalities.includes('image')) {
    throw new GatewayError('image_model_not_found');
  }
  return { model, offer: model.image };
}
