import { GatewayError } from '@gateway/proto';

/** What a key may call, as far as a model decides it. */
export interface ModelAccess {
  /** Empty: every model. */
  readonly allowedModels: readonly string[];
  readonly previewModels: readonly string[];
}

export interface CallableModel {
  readonly slug: string;
  readonly active: boolean;
  /** Callable only by accounts that opted in. */
  readonly preview: boolean;
}

/** A model that only the key keeps from the caller: by now it may be given to it. */
export class ModelWithheld extends GatewayError {
  readonly model: CallableModel;

  constructor(model: CallableModel) {
    super('model_not_found');
    this.model = model;
  }
}

export const mayCall = (model: CallableModel, access: ModelAccess): boolean =>
  model.active && mayKnow(model, access);

/** Whether the key's caller may know of the model; whether it can be called now is another matter. */
export function mayKnow({ slug, preview }: CallableModel, access: ModelAccess): boolean {
  if (access.allowedModels.length > 0 && !access.allowedModels.includes(slug)) return false;
  return !preview || access.previewModels.includes(slug);
}
