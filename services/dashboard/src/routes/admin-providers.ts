import type { ModelDirectory } from '../clients/model-directory';
import type { ProviderInstances } from '../clients/provider-instances';
import { providerHealth } from '../domain/provider-health';
import { providersAnswer } from './answers';
import type { Endpoint, UserCall } from './endpoint';
import { toList } from './to-json';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly instances: ProviderInstances;
}

export function adminProviderEndpoints(deps: Dependencies): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/admin/providers',
      access: 'operator',
      handle: (call) => listProviders(deps, call),
      doc: {
        summary: 'Retrieve the health of providers as chat and media report it',
        answer: providersAnswer,
      },
    },
  ];
}

/** Few enough for one page. */
async function listProviders({ models, instances }: Dependencies, { context }: UserCall) {
  const reports = await instances.reports(context);
  return {
    ...toList(providerHealth(models.all().values(), reports), ''),
    services: reports.map(({ service, address, report }) => ({
      service,
      address,
      status: report ? 'up' : 'away',
    })),
    window_seconds: Math.max(0, ...reports.map(({ report }) => report?.windowSeconds ?? 0)),
  };
}
