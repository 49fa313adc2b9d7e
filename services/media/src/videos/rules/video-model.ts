import { GatewayError } from '@gateway/errors';
import { canAccess, findModelByName, type ModelPermissions } from '@gateway/models';
import type { Model, ModelLookup, VideoOffer } from '../../domain/model';

export type VideoAction = 'create' | 'status' | 'result';

export interface VideoModel {
  readonly model: Model;
  readonly offer: VideoOffer;
}

/** Returns the provider's part of a slug. */
export const prefixOf = (slug: string): string => slug.slice(0, slug.indexOf('/'));

/**
 * Returns the video model with that slug, alias or bare name, if this key may create with it.
 * @param segment the provider's part of the path
 * @param withheld the error if only the key is the reason
 * @throws GatewayError `invalid_model` for an invalid model name; `model_not_found` for an unknown model or one that the key may
 *   not call; `video_model_not_found` for a model without videos here
 */
export function resolveVideoModel(
  models: ModelLookup,
  {
    name,
    segment,
    access,
  }: { readonly name: string; readonly segment: string; readonly access: ModelPermissions },
  withheld: (model: Model) => Error,
): VideoModel {
  const model = findModelByName(models, name, access);
  if (prefixOf(model?.slug ?? name) !== segment) throw new GatewayError('video_model_not_found');
  if (!model) throw new GatewayError('model_not_found');
  if (!canAccess(model, access)) throw withheld(model);
  const offer = model.video;
  if (!model.active || !offer || !offersAction(model, 'create')) {
    throw new GatewayError('video_model_not_found');
  }
  return { model, offer };
}

export function offersAction(model: Model, action: VideoAction): boolean {
  return model.outputModalities.includes('video') && model.workflow.includes(action);
}
