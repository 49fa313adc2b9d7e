import { useQuery } from '@tanstack/react-query';
import { listModels } from '../../api/models';

const MAX_MODELS = 1_000;
const MINUTE_MS = 60_000;

/** Models that requests can name. */
export const useCatalog = () =>
  useQuery({
    queryKey: ['models', 'catalog'],
    queryFn: async () => (await listModels(undefined, undefined, MAX_MODELS)).data,
    staleTime: MINUTE_MS,
  });
