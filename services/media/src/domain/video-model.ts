import { type ModelAccess, mayKnow } from '@gateway/metering';
import { GatewayError } from '@gateway/proto';
import type { Model, ModelLookup, VideoOffer } from './model';

export type VideoAction = 'create' | 'status' | 'result';

export interface VideoModel {
  readonly model: Model;
  readonly offer: VideoOffer;
}

/** Lowercase, one slash, no white space. */
const SLUG = /^([a-z0-9][a-z0-9._-]*)\/[a-z0-9][a-z0-9._:-]*$/;

/** The provider's part of a slug. */
export const prefixOf = (slug: string): string => slug.slice(0, slug.indexOf('/'));

/**
 * The video model of that slug, if this key may create with it.
 * @param segment the provider's part of the path
 * @param withheld what is thrown where the key alone is the reason
 * @throws GatewayError `invalid_model` for what is no slug; `model_not_found` for what was never listed or is kept
 * from this key; `video_model_not_found` for what makes no videos here
 */
export function resolveVideoModel(
  models: ModelLookup,
  {
    slug,
    segment,
    access,
  }: { readonly slug: string; readonly segment: string; readonly access: ModelAccess },
  withheld: (model: Model) => Error,
): VideoModel {
  if (!SLUG.test(slug)) throw new GatewayError('invalid_model');
  if (prefixOf(slug) !== segment) throw new GatewayError('video_model_not_found');
  const model = models.get(slug);
  if (!model) throw new GatewayError('model_not_found');
  if (!mayKnow(model, access)) throw withheld(model);
  const offer = model.video;
  if (!model.active || !offer || !offersAction(model, 'create')) {
    throw new GatewayError('video_model_not_found');
  }
  return { model, offer };
}

export function offersAction(model: Model, action: VideoAction): boolean {
  return model.outputModalities.includes('video') && model.workflow.includes(action);
}
