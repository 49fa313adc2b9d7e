import { useQuery } from '@tanstack/react-query';
import { listModels } from '../../api/models';

/** More than catalogs have; filtering is done here. */
const MAX_MODELS = 1_000;

export const useModels = () =>
  useQuery({ queryKey: ['models'], queryFn: () => listModels(undefined, undefined, MAX_MODELS) });
