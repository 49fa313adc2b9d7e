import { queryOptions } from '@tanstack/react-query';
import { listModels } from './models';

/** More than catalogs have. */
const MAX_MODELS = 1_000;

/** All that can be seen; delisted ones are not among them. */
export const allModelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => listModels(undefined, undefined, MAX_MODELS),
});
