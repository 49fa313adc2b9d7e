import { queryOptions } from '@tanstack/react-query';
import { listModels } from './models';

/** More than any catalog has. */
const MAX_MODELS = 1_000;

/** All visible models, without delisted ones. */
export const allModelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => listModels(undefined, undefined, MAX_MODELS),
});
