import type { ModelDirectory } from '../clients/model-directory';
import type { ProviderInstances } from '../clients/provider-instances';
import { providerHealth } from '../domain/provider-health';
import { type Endpoint, endpoint } from './endpoint';
import { providersResponse } from './responses';
import { toList } from './to-json';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly instances: ProviderInstances;
}

export const adminProviderEndpoints = ({ models, instances }: Dependencies): Endpoint[] => [
  endpoint('operator', 'GET /admin/providers', {
    summary: 'Retrieve the health of providers as chat and media report it',
    response: providersResponse,
    async handle({ context }) {
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
    },
  }),
];
