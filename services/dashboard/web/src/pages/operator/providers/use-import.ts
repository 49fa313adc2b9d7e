import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ImportedModel, type ImportOutcome, importModels } from '../../../api/admin-providers';

/** Models of one call: each is stored before the next. */
const MODELS_PER_CALL = 50;

/** Imports models; if a call fails, the outcomes of those before it are kept. */
export function useImport(providerId: string) {
  const [outcomes, setOutcomes] = useState<readonly ImportOutcome[]>([]);
  const queryClient = useQueryClient();
  const importing = useMutation({
    mutationFn: async (models: readonly ImportedModel[]) => {
      const all: ImportOutcome[] = [];
      setOutcomes(all);
      for (let start = 0; start < models.length; start += MODELS_PER_CALL) {
        const { data } = await importModels(providerId, models.slice(start, start + MODELS_PER_CALL));
        all.push(...data);
        setOutcomes([...all]);
      }
      return all;
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['admin'] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
    },
  });
  return { importing, outcomes };
}
