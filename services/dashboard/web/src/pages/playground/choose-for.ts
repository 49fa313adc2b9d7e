import type { ApiKey } from '../../api/keys';
import type { Model, ModelType } from '../../api/models';
import { usualModel } from './usual-model';

export interface Offer {
  readonly type: ModelType;
  readonly keys: readonly ApiKey[];
  readonly models: readonly Model[];
  /** Previews that the account has opted in to. */
  readonly previewModels: readonly string[];
  readonly nowMs: number;
}

/** What the address names. */
export interface Wanted {
  readonly keyId: string | null;
  readonly slug: string | null;
}

export interface Choice {
  /** Those that can be called with at present. */
  readonly keys: readonly ApiKey[];
  /** Those that the key can call. */
  readonly models: readonly Model[];
  readonly key: ApiKey | undefined;
  readonly model: Model | undefined;
  /** Why there is no key or no model, though there are some. */
  readonly problem: Problem | undefined;
}

export interface Problem {
  readonly title: string;
  readonly todo: string;
  /** Where more is said of the model that it is about. */
  readonly slug?: string;
}

/** The key and the model that are wanted and none in their place; where nothing is wanted, a key and a cheap model. */
export function chooseFor(offer: Offer, { keyId, slug }: Wanted): Choice {
  const keys = offer.keys.filter((key) => isUsable(key, offer.nowMs));
  const offered = offer.models.filter((model) => isOffered(model, offer));
  const wantedModel = offered.find((model) => model.slug === slug);
  const key = keyId === null ? keyFor(keys, wantedModel) : keys.find(({ id }) => id === keyId);
  const models = key ? offered.filter((model) => allows(key, model)) : offered;
  const model = slug === null ? usualModel(models) : models.find((one) => one.slug === slug);
  const problem =
    !key && keyId !== null
      ? keyProblem(offer.keys.find(({ id }) => id === keyId))
      : !model && slug !== null
        ? modelProblem(slug, offer, wantedModel && key)
        : undefined;
  return { keys, models, key, model, problem: keys.length > 0 ? problem : undefined };
}

const isUsable = ({ status, expires_at }: ApiKey, nowMs: number): boolean =>
  status === 'enabled' && (expires_at === null || Date.parse(expires_at) > nowMs);

const allows = ({ allowed_models }: ApiKey, { slug }: Model): boolean =>
  allowed_models.length === 0 || allowed_models.includes(slug);

const keyFor = (keys: readonly ApiKey[], model: Model | undefined): ApiKey | undefined =>
  (model && keys.find((key) => allows(key, model))) ?? keys[0];

/** Models that make images and words are for the images' page only where the words are by the way. */
function isOffered(model: Model, { type, previewModels }: Offer): boolean {
  const isOfKind = type === 'chat' ? model.image === null : model[type] !== null;
  const isOpen = !model.preview || previewModels.includes(model.slug);
  return model.status === 'active' && model.pricing !== null && isOfKind && isOpen;
}

function keyProblem(key: ApiKey | undefined): Problem {
  const todo = 'Choose another key.';
  if (!key) return { title: 'The selected key no longer exists', todo };
  return { title: `The key “${key.name}” ${key.status === 'enabled' ? 'has expired' : 'is disabled'}`, todo };
}

function modelProblem(slug: string, { type, models }: Offer, refusedBy: ApiKey | undefined): Problem {
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
