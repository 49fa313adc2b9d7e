import { GatewayError } from '@gateway/errors';
import { allowsModel } from '@gateway/proto/allowed-models';
import { isBareName } from './model-names';

/** The permissions of a key that concern models. */
export interface ModelPermissions {
  /** Slugs, patterns and types; empty: every model. */
  readonly allowedModels: readonly string[];
  readonly previewModels: readonly string[];
  /** Whether models may be named without a provider; absent (an edge of an older version): no. */
  readonly bareModelNames?: boolean;
}

export interface CallableModel {
  readonly slug: string;
  readonly outputModalities: readonly string[];
  readonly active: boolean;
  /** Available only to accounts that opted in. */
  readonly preview: boolean;
}

/** A refusal caused only by the key's permissions. It must be checked against the key's current, not cached, permissions. */
export abstract class ModelPermissionError extends GatewayError {
  /** Returns whether a key with these permissions would be allowed. */
  abstract isAllowedWith(access: ModelPermissions): boolean;
}

/** The key has no access to the model. */
export class ModelNotAllowed extends ModelPermissionError {
  readonly #model: CallableModel;

  constructor(model: CallableModel) {
    super('model_not_found');
    this.#model = model;
  }

  isAllowedWith(access: ModelPermissions): boolean {
    return canAccess(this.#model, access);
  }
}

/** The key does not allow names without a provider. */
class BareNameNotAllowed extends ModelPermissionError {
  constructor() {
    super('invalid_model');
  }

  isAllowedWith({ bareModelNames }: ModelPermissions): boolean {
    return bareModelNames === true;
  }
}

/** Lowercase, one slash, no white space; the characters of public model names. */
const SLUG = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/;

/**
 * Returns the model with this name, whether or not the key may call it; undefined if the name is well-formed but unknown.
 * @throws GatewayError `invalid_model` for a malformed name and for an unknown name without a provider; a
 * ModelPermissionError for a name without a provider if the key does not allow those
 */
export function findModelByName<M>(
  models: { get(name: string): M | undefined },
  name: string,
  access: ModelPermissions,
): M | undefined {
  const model = models.get(name);
  if (model && isBareName(name) && !access.bareModelNames) throw new BareNameNotAllowed();
  if (!model && !SLUG.test(name)) throw new GatewayError('invalid_model');
  return model;
}

/**
 * Returns the model name to record for a refused call: the slug, or the name that the client sent if it is unknown or was
 * refused with `invalid_model`.
 */
export function modelNameForRecord(
  models: { get(name: string): { readonly slug: string } | undefined },
  name: string,
  refusal: unknown,
): string {
  if (refusal instanceof GatewayError && refusal.code === 'invalid_model') return name;
  return models.get(name)?.slug ?? name;
}

export const canCall = (model: CallableModel, access: ModelPermissions): boolean =>
  model.active && canAccess(model, access);

/** Whether the key may see the model; whether the model can be called now is a separate question. */
export const canAccess = (model: CallableModel, access: ModelPermissions): boolean =>
  allowsModel(access.allowedModels, model) && (!model.preview || access.previewModels.includes(model.slug));
