import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { allKeysQuery } from '../../api/all-keys-query';
import { listModels, type PlaygroundType } from '../../api/models';
import { useMe } from '../../api/use-me';
import { type Choice, chooseKeyAndModel } from './choose-key-and-model';

const MAX_MODELS = 1_000;

export interface Choices extends Choice {
  readonly isPending: boolean;
  readonly error: Error | null;
  choose(change: { key_id?: string; model?: string }): void;
  reload(): void;
}

/** Returns the key and the model of the address, by default the first key and a cheap model. */
export function useChoices(type: PlaygroundType): Choices {
  const [params, setParams] = useSearchParams();
  const { account } = useMe();
  const keyList = useQuery(allKeysQuery);
  const modelList = useQuery({
    queryKey: ['models', type],
    queryFn: () => listModels(type, undefined, MAX_MODELS),
  });
  const options = {
    type,
    keys: keyList.data?.data ?? [],
    models: modelList.data?.data ?? [],
    previewModels: account.preview_models,
    nowMs: Date.now(),
  };
  return {
    ...chooseKeyAndModel(options, { keyId: params.get('key_id'), slug: params.get('model') }),
    isPending: keyList.isPending || modelList.isPending,
    error: keyList.error ?? modelList.error,
    choose: (change) => setParams({ ...Object.fromEntries(params), ...change }, { replace: true }),
    reload: () => {
      void keyList.refetch();
      void modelList.refetch();
    },
  };
}
