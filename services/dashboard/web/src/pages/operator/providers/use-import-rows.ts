import { useState } from 'react';
import type { AdminModel } from '../../../api/admin-models';
import type { EndpointModels } from '../../../api/admin-providers';
import { type Edit, type ImportRow, toRow } from './import-rows';

/** The rows of an endpoint's models with what was typed, and the selected ones, by upstream model. */
export function useImportRows(
  listing: EndpointModels | undefined,
  catalog: readonly AdminModel[] | undefined,
) {
  const [edits, setEdits] = useState<ReadonlyMap<string, Edit>>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const slugs = new Set(catalog?.map(({ slug }) => slug));
  const rows = (listing?.data ?? []).map((model) => toRow(model, edits.get(model.upstream_model), slugs));
  return {
    rows,
    selected: rows.filter(({ model, problem }) => problem === undefined && chosen.has(model.upstream_model)),
    select(changed: readonly ImportRow[], isSelected: boolean) {
      const next = new Set(chosen);
      for (const { model, problem } of changed) {
        if (isSelected && problem === undefined) next.add(model.upstream_model);
        else next.delete(model.upstream_model);
      }
      setChosen(next);
    },
    selectOnly: (upstreamModels: readonly string[]) => setChosen(new Set(upstreamModels)),
    edit({ model: { upstream_model } }: ImportRow, part: Edit) {
      setEdits(new Map(edits).set(upstream_model, { ...edits.get(upstream_model), ...part }));
    },
  };
}
