import { allowsModel } from '../../api/allows-model';
import type { ApiKey } from '../../api/keys';
import type { Model, PlaygroundType } from '../../api/models';
import { defaultModel } from './default-model';

export interface Options {
  readonly type: PlaygroundType;
  readonly keys: readonly ApiKey[];
  readonly models: readonly Model[];
  /** Preview models that the account has opted in to. */
  readonly previewModels: readonly string[];
  readonly nowMs: number;
}

/** The selection in the address. */
export interface Selection {
  readonly keyId: string | null;
  readonly slug: string | null;
}

export interface Choice {
  /** Usable keys. */
  readonly keys: readonly ApiKey[];
  /** Models that the key may call. */
  readonly models: readonly Model[];
  readonly key: ApiKey | undefined;
  readonly model: Model | undefined;
  /** Why the selection can't be used, although there are keys or models. */
  readonly problem: Problem | undefined;
}

export interface Problem {
  readonly title: string;
  readonly todo: string;
  /** The model's page has more information. */
  readonly slug?: string;
}

/**
 * Returns the selected key and model, without substituting others; without a selection, a usable key and the default
 * model.
 */
export function chooseKeyAndModel(options: Options, { keyId, slug }: Selection): Choice {
  const keys = options.keys.filter((key) => isUsable(key, options.nowMs));
  const offered = options.models.filter((model) => isOffered(model, options));
  const selectedModel = offered.find((model) => model.slug === slug);
  const key = keyId === null ? keyFor(keys, selectedModel) : keys.find(({ id }) => id === keyId);
  const models = key ? offered.filter((model) => allowsModel(key, model)) : offered;
  const model = slug === null ? defaultModel(models) : models.find((one) => one.slug === slug);
  const problem =
    !key && keyId !== null
      ? keyProblem(options.keys.find(({ id }) => id === keyId))
      : !model && slug !== null
        ? modelProblem(slug, options, selectedModel && key)
        : undefined;
  return { keys, models, key, model, problem: keys.length > 0 ? problem : undefined };
}

const isUsable = ({ status, expires_at }: ApiKey, nowMs: number): boolean =>
  status === 'enabled' && (expires_at === null || Date.parse(expires_at) > nowMs);

const keyFor = (keys: readonly ApiKey[], model: Model | undefined): ApiKey | undefined =>
  (model && keys.find((key) => allowsModel(key, model))) ?? keys[0];

/** Models that generate both images and text belong to images only if their text is incidental. */
function isOffered(model: Model, { type, previewModels }: Options): boolean {
  const isOfKind = type === 'chat' ? model.image === null : model[type] !== null;
  const isOpen = !model.preview || previewModels.includes(model.slug);
  return model.status === 'active' && model.pricing !== null && isOfKind && isOpen;
}

function keyProblem(key: ApiKey | undefined): Problem {
  const todo = 'Choose another key.';
  if (!key) return { title: 'The selected key no longer exists', todo };
  return { title: `The key “${key.name}” ${key.status === 'enabled' ? 'has expired' : 'is disabled'}`, todo };
}

function modelProblem(slug: string, { type, models }: Options, refusedBy: ApiKey | undefined): Problem {
  if (refusedBy) {
    const title = `The key “${refusedBy.name}” does not allow ${slug}`;
    return { title, todo: 'Choose another model, or another key.', slug };
  }
  const todo = 'Choose another model.';
  const model = models.find((one) => one.slug === slug);
  if (model?.status === 'disabled') return { title: `${slug} is disabled`, todo, slug };
  if (model?.preview) {
    return { title: `${slug} is a preview model that your account hasn’t opted in to`, todo, slug };
  }
  return { title: `${slug} is not an available ${type} model`, todo };
}
