import { GatewayError } from '@gateway/errors';
import {
  canAccess,
  findModelByName,
  isPlaceholder,
  ModelNotAllowed,
  type ModelPermissions,
} from '@gateway/models';
import type { ImageOffer, Model, ModelLookup } from '../../domain/model';

export interface ImageModel {
  readonly model: Model;
  readonly offer: ImageOffer;
}

/** Letters and hyphens: names of models without their provider have digits nearly always, those of providers hardly ever. */
const PROVIDER_NAME = /^[a-z]+(?:-[a-z]+)*$/;

/**
 * Returns the image model with this slug, alias or bare name, if the key may call it.
 * @param isProvider whether a provider of this name has models
 * @throws GatewayError `image_model_not_found` for what is or may be the name of a provider, and for a model that generates no images or is not
 * active; `invalid_model` for any other string that is not a model name; `model_not_found` for an unknown model or one that the
 * key may not call. The last two are a ModelPermissionError if the key is the reason.
 */
export function resolveImageModel(
  models: ModelLookup,
  isProvider: (name: string) => boolean,
  name: string,
  access: ModelPermissions,
): ImageModel {
  const namesProvider = isProvider(name) || (PROVIDER_NAME.test(name) && !isPlaceholder(name));
  if (namesProvider && !models.get(name)) throw new GatewayError('image_model_not_found');
  const model = findModelByName(models, name, access);
  if (!model) throw new GatewayError('model_not_found');
  if (!canAccess(model, access)) throw new ModelNotAllowed(model);
  if (!model.active || !model.image || !model.outputModalities.includes('image')) {
    throw new GatewayError('image_model_not_found');
  }
  return { model, offer: model.image };
}
