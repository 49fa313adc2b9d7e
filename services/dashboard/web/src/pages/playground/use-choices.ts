import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { allKeysQuery } from '../../api/all-keys-query';
import type { ApiKey } from '../../api/keys';
import { listModels, type Model, type ModelType } from '../../api/models';
import { usualModel } from './usual-model';

const MAX_MODELS = 1_000;

export interface Choices {
  /** Those that can be called with at present. */
  readonly keys: readonly ApiKey[];
  readonly models: readonly Model[];
  readonly key: ApiKey | undefined;
  readonly model: Model | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  choose(change: { key_id?: string; model?: string }): void;
  reload(): void;
}

/** The key and the model that the address names, else the first key and a cheap model. */
export function useChoices(type: ModelType): Choices {
  const [params, setParams] = useSearchParams();
  const keyList = useQuery(allKeysQuery);
  const modelList = useQuery({
    queryKey: ['models', type],
    queryFn: () => listModels(type, undefined, MAX_MODELS),
  });
  const keys = (keyList.data?.data ?? []).filter((key) => isUsable(key, Date.now()));
  const key = keys.find(({ id }) => id === params.get('key_id')) ?? keys[0];
  const models = (modelList.data?.data ?? []).filter((model) => isOffered(model, type, key));
  const model = models.find(({ slug }) => slug === params.get('model')) ?? usualModel(models);
  return {
    keys,
    models,
    key,
    model,
    isPending: keyList.isPending || modelList.isPending,
    error: keyList.error ?? modelList.error,
    choose: (change) => setParams({ ...Object.fromEntries(params), ...change }, { replace: true }),
    reload: () => {
      void keyList.refetch();
      void modelList.refetch();
    },
  };
}

const isUsable = ({ status, expires_at }: ApiKey, nowMs: number): boolean =>
  status === 'enabled' && (expires_at === null || Date.parse(expires_at) > nowMs);

/** Models that make images and words are for the images' page only where the words are by the way. */
function isOffered(model: Model, type: ModelType, key: ApiKey | undefined): boolean {
  const isAllowed = !key || key.allowed_models.length === 0 || key.allowed_models.includes(model.slug);
  const isOfKind = type === 'chat' ? model.image === null : model[type] !== null;
  return model.status === 'active' && model.pricing !== null && isOfKind && isAllowed;
}
