import { GatewayError } from '@gateway/errors';
import { isBareName } from './model-names';

/** What a key may call, as far as a model decides it. */
export interface ModelAccess {
  /** Empty: every model. */
  readonly allowedModels: readonly string[];
  readonly previewModels: readonly string[];
  /** Models may be called by names without a provider; absent: no, by an edge of an older version. */
  readonly bareModelNames?: boolean;
}

export interface CallableModel {
  readonly slug: string;
  readonly active: boolean;
  /** Callable only by accounts that opted in. */
  readonly preview: boolean;
}

/** A refusal for which the key is the only reason, so that the key as it is now decides. */
export abstract class WithheldByKey extends GatewayError {
  /** Whether a key with these rights is not refused. */
  abstract isCuredBy(access: ModelAccess): boolean;
}

/** A model that only the key keeps from the caller: by now it may be given to it. */
export class ModelWithheld extends WithheldByKey {
  readonly #model: CallableModel;

  constructor(model: CallableModel) {
    super('model_not_found');
    this.#model = model;
  }

  isCuredBy(access: ModelAccess): boolean {
    return canAccess(this.#model, access);
  }
}

/** A name without a provider that stands for a model, where the key does not allow such names. */
class BareNameWithheld extends WithheldByKey {
  constructor() {
    super('invalid_model');
  }

  isCuredBy({ bareModelNames }: ModelAccess): boolean {
    return bareModelNames === true;
  }
}

/** Lowercase, one slash, no white space; what the parts may hold is that of public model names. */
const SLUG = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/;

/**
 * Returns the model that a caller names, whether or not the key may call it; undefined if the name is well-formed and no
 * model has it.
 * @throws GatewayError `invalid_model` for what is no model name, and for a name without a provider that is unknown or
 * that the key does not allow, the latter as a WithheldByKey
 */
export function findNamed<M>(
  models: { get(name: string): M | undefined },
  name: string,
  access: ModelAccess,
): M | undefined {
  const model = models.get(name);
  if (model && isBareName(name) && !access.bareModelNames) throw new BareNameWithheld();
  if (!model && !SLUG.test(name)) throw new GatewayError('invalid_model');
  return model;
}

/**
 * Returns the name of the model in the record of a refused call: its slug, or what the caller wrote where that is the
 * reason of the refusal or no model's name.
 */
export function recordedName(
  models: { get(name: string): { readonly slug: string } | undefined },
  name: string,
  refusal: unknown,
): string {
  if (refusal instanceof GatewayError && refusal.code === 'invalid_model') return name;
  return models.get(name)?.slug ?? name;
}

export const mayCall = (model: CallableModel, access: ModelAccess): boolean =>
  model.active && canAccess(model, access);

/** Whether the key's caller may know of the model; whether it can be called now is another matter. */
export function canAccess({ slug, preview }: CallableModel, access: ModelAccess): boolean {
  if (access.allowedModels.length > 0 && !access.allowedModels.includes(slug)) return false;
  return !preview || access.previewModels.includes(slug);
}
