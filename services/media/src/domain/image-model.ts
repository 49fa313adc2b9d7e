import { type ModelAccess, ModelWithheld, mayKnow } from '@gateway/metering';
import { GatewayError } from '@gateway/proto';
import type { ImageOffer, Model, ModelLookup } from './model';

export interface ImageModel {
  readonly model: Model;
  readonly offer: ImageOffer;
}

/** Lowercase, one slash, no white space. */
const SLUG = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/;

/**
 * The image model of that slug, if this key may call it.
 * @param isProvider whether there are models of a provider of that name
 * @throws GatewayError `image_model_not_found` for a provider's bare name and for a listed model that makes no images
 * or is not active; `invalid_model` for any other string that is no slug; `model_not_found` for what was never listed
 * or is kept from this key, whatever it makes, as a ModelWithheld where the key is the reason
 */
export function resolveImageModel(
  models: ModelLookup,
  isProvider: (name: string) => boolean,
  slug: string,
  access: ModelAccess,
): ImageModel {
  if (!SLUG.test(slug)) throw new GatewayError(isProvider(slug) ? 'image_model_not_found' : 'invalid_model');
  const model = models.get(slug);
  if (!model) throw new GatewayError('model_not_found');
  if (!mayKnow(model, access)) throw new ModelWithheld(model);
  if (!model.active || !model.image || !model.outputModalities.includes('image')) {
    throw new GatewayError('image_model_not_found');
  }
  return { model, offer: model.image };
}
