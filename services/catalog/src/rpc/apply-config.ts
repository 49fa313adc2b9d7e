import type { ApplyConfigRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/ApplyConfigRequest';
import type { ApplyConfigResponse } from '@gateway/proto/generated/gateway/catalog/v1/ApplyConfigResponse';
import type { RequestContext } from '@gateway/rpc';
import { checkConfig } from '../config/check-config';
import { planConfig } from '../config/plan-config';
import { type AddressRules, invalid } from '../domain/provider';
import type { CatalogEdit } from '../store/edit-catalog';
import type { ProviderEdit } from '../store/providers';

/** Runs a change of models and providers in one transaction; when it returns, the change is in this instance's memory. */
export type EditAll = <T>(work: (models: CatalogEdit, providers: ProviderEdit) => Promise<T>) => Promise<T>;

/** Handles `ApplyConfig`. Problems of the configuration are a result, and then nothing is changed. */
export const applyConfig =
  (edit: EditAll, addresses: AddressRules) =>
  async (
    _context: RequestContext,
    { configJson, dryRun }: ApplyConfigRequest__Output,
  ): Promise<ApplyConfigResponse> => {
    const checked = checkConfig(parse(configJson), addresses);
    if ('problems' in checked) return { problems: checked.problems };
    return edit(async (models, providers) => {
      const { problems, changes, steps } = await planConfig(checked.config, models, providers);
      const isApplied = problems.length === 0 && !dryRun;
      if (isApplied) for (const step of steps) await step();
      return {
        problems: [...problems],
        changes: changes.map(({ path, from, to }) => ({ path, fromJson: toJson(from), toJson: toJson(to) })),
        applied: isApplied,
      };
    });
  };

/** Empty for undefined. */
const toJson = (value: unknown): string => JSON.stringify(value) ?? '';

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalid('config: is not JSON');
  }
}
