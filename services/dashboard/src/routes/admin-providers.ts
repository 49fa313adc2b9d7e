import { GatewayError } from '@gateway/errors';
import { isChatKind } from '@gateway/providers';
import { importModels } from '../actions/import-models';
import { deletedResponse } from '../api/fields';
import {
  createCredentialBody,
  createProviderBody,
  credentialResponse,
  endpointModelsQuery,
  endpointModelsResponse,
  importModelsBody,
  importResponse,
  probeResponse,
  providerPresetsResponse,
  providerResponse,
  providersResponse,
  testProviderBody,
  updateCredentialBody,
  updateProviderBody,
} from '../api/providers';
import type { Caller } from '../clients/billing';
import type { CatalogEditor } from '../clients/catalog-editor';
import type { ModelDirectory } from '../clients/model-directory';
import type { PriceList } from '../clients/price-list';
import type { ProviderEditor } from '../clients/provider-editor';
import type { ProviderInstances } from '../clients/provider-instances';
import type { ProviderProbe } from '../clients/provider-probe';
import type { ConfiguredProvider, DailyCosts } from '../domain/configured-provider';
import { slugsOf, suggestedSlug } from '../domain/endpoint-model';
import { type InstanceReport, type ProviderService, providerHealth } from '../domain/provider-health';
import { type Endpoint, endpoint } from './endpoint';
import { toCredential, toLimits, toSecret } from './provider-input';
import { toList } from './to-json';
import { kindsJson, presetsJson } from './to-preset-json';
import { toCredentialJson, toEndpointModelJson, toProbeJson, toProviderJson } from './to-provider-json';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly editor: CatalogEditor;
  readonly instances: ProviderInstances;
  readonly providers: ProviderEditor;
  readonly priceList: PriceList;
  readonly probe: ProviderProbe;
}

export const adminProviderEndpoints = (deps: Dependencies): Endpoint[] => [
  presetsEndpoint,
  ...providerEndpoints(deps),
  ...credentialEndpoints(deps),
  ...endpointModelEndpoints(deps),
];

const presetsEndpoint = endpoint('operator', 'GET /admin/provider-presets', {
  summary: 'List known endpoints and the kinds of providers, to connect one',
  response: providerPresetsResponse,
  handle: async () => ({ ...toList(presetsJson(), ''), kinds: kindsJson() }),
});

function providerEndpoints(deps: Dependencies): Endpoint[] {
  const { models, instances, providers, probe } = deps;
  const respond = async (context: Caller, configured: ConfiguredProvider) => {
    const [reports, costs] = await Promise.all([instances.reports(context), providers.costsToday(context)]);
    return listOfProviders(models, reports, [configured], costs).find(({ id }) => id === configured.id)!;
  };
  return [
    endpoint('operator', 'GET /admin/providers', {
      summary: 'List providers, their configuration, and their health as chat and media report it',
      response: providersResponse,
      async handle({ context }) {
        const [reports, configured, costs] = await Promise.all([
          instances.reports(context),
          providers.list(context),
          providers.costsToday(context),
        ]);
        return {
          ...toList(listOfProviders(models, reports, configured, costs), ''),
          services: reports.map(({ service, address, report }) => ({
            service,
            address,
            status: report ? ('up' as const) : ('away' as const),
          })),
          window_seconds: Math.max(0, ...reports.map(({ report }) => report?.windowSeconds ?? 0)),
        };
      },
    }),
    endpoint('operator', 'POST /admin/providers', {
      summary: 'Connect a provider',
      body: createProviderBody,
      response: providerResponse,
      async handle({ context, body: { base_url: baseUrl, credentials, name = '', ...provider } }) {
        const draft = { ...provider, name, baseUrl };
        return respond(context, await providers.create(context, draft, credentials.map(toCredential)));
      },
    }),
    endpoint('operator', 'GET /admin/providers/:id', {
      summary: 'Retrieve a provider',
      response: providerResponse,
      handle: ({ context, params }) => knownProvider(deps, context, params.id),
    }),
    endpoint('operator', 'POST /admin/providers/:id/update', {
      summary: 'Update a provider; omitted fields stay unchanged',
      body: updateProviderBody,
      response: providerResponse,
      async handle({ context, params, body: { base_url: baseUrl, ...body } }) {
        const changes = withoutUndefined({ ...body, baseUrl });
        return respond(context, await providers.update(context, params.id ?? '', changes));
      },
    }),
    endpoint('operator', 'POST /admin/providers/:id/delete', {
      summary: 'Delete a provider and its credentials; calls in flight end normally',
      response: deletedResponse,
      async handle({ context, params: { id = '' } }) {
        await providers.get(context, id);
        await providers.remove(context, id);
        return { id, deleted: true as const };
      },
    }),
    endpoint(
      'operator',
      'POST /admin/providers/:id/test',
      {
        summary:
          "List the endpoint's models or call one, to test a provider; a call is charged by the provider. Of a provider of only images or videos, the credential is tested",
        body: testProviderBody,
        optionalBody: true,
        response: probeResponse,
        async handle({ context, params, body: { credential_id, model } }) {
          const { id, service } = await probedProvider(deps, context, params.id);
          const request = {
            provider: id,
            credentialId: credential_id ?? '',
            upstreamModel: model ?? '',
          };
          return toProbeJson(await probe.call(context, service, request));
        },
      },
      { unaudited: true },
    ),
  ];
}

function credentialEndpoints({ providers }: Dependencies): Endpoint[] {
  return [
    endpoint('operator', 'POST /admin/providers/:id/credentials', {
      summary: 'Add a credential',
      body: createCredentialBody,
      response: credentialResponse,
      handle: async ({ context, params, body }) =>
        toCredentialJson(await providers.addCredential(context, params.id ?? '', toCredential(body))),
    }),
    endpoint('operator', 'POST /admin/providers/:id/credentials/:credential/update', {
      summary: 'Update a credential; a new secret replaces the current one, omitted fields stay unchanged',
      body: updateCredentialBody,
      response: credentialResponse,
      async handle({ context, params: { id = '', credential = '' }, body }) {
        const { name, weight, enabled } = body;
        const changes = withoutUndefined({
          name,
          weight,
          enabled,
          limits: toLimits(body),
          secret: toSecret(body),
        });
        return toCredentialJson(await providers.updateCredential(context, id, credential, changes));
      },
    }),
    endpoint('operator', 'POST /admin/providers/:id/credentials/:credential/delete', {
      summary: 'Delete a credential; calls in flight end normally',
      response: deletedResponse,
      async handle({ context, params: { id = '', credential = '' } }) {
        const { credentials } = await providers.get(context, id);
        if (!credentials.some((one) => one.id === credential)) throw new GatewayError('not_found');
        await providers.removeCredential(context, id, credential);
        return { id: credential, deleted: true as const };
      },
    }),
  ];
}

function endpointModelEndpoints(deps: Dependencies): Endpoint[] {
  const { models, probe, priceList } = deps;
  return [
    endpoint('operator', 'GET /admin/providers/:id/models', {
      summary: "List the models of a provider's endpoint, with prices of the price list where it has them",
      query: endpointModelsQuery,
      response: endpointModelsResponse,
      codes: ['upstream_failed', 'upstream_unavailable'],
      async handle({ context, params, query }) {
        const { id, service } = await probedProvider(deps, context, params.id);
        const listed = await probe.models(context, service, id);
        const found = await priceList.find(context, {
          providerId: id,
          upstreamModels: listed.map((model) => model.id),
          listProvider: query.list_provider,
          markupPercent: query.markup_percent,
        });
        const { source, sourceDate, problem } = found;
        return {
          ...toList(
            listed.map((model) => ({
              ...toEndpointModelJson(model, found),
              suggested_slug: suggestedSlug(id, model.id),
              slugs: slugsOf(models.all().values(), id, model.id),
            })),
            '',
          ),
          price_list: { source, source_date: sourceDate, problem },
        };
      },
    }),
    endpoint('operator', 'POST /admin/providers/:id/models/import', {
      summary: 'Add models of a provider to the catalog, or the provider to models that exist',
      body: importModelsBody,
      response: importResponse,
      async handle({ context, params, body }) {
        const { id } = await knownProvider(deps, context, params.id);
        return { data: await importModels(deps, context, id, body.models) };
      },
    }),
  ];
}

/** @throws GatewayError `not_found` */
const knownProvider = async (deps: Dependencies, context: Caller, id: string | undefined) =>
  (await lookUp(deps, context, id)).provider;

/** Returns a provider and the service that tests it. @throws GatewayError `not_found` */
async function probedProvider(
  deps: Dependencies,
  context: Caller,
  providerId: string | undefined,
): Promise<{ readonly id: string; readonly service: ProviderService }> {
  const { provider, reports } = await lookUp(deps, context, providerId);
  const { id, kind } = provider;
  if (kind !== null) return { id, service: isChatKind(kind) ? 'chat' : 'media' };
  const services = reports
    .filter(({ report }) => report?.providers.some((one) => one.id === id))
    .map(({ service }) => service);
  return { id, service: services.includes('media') && !services.includes('chat') ? 'media' : 'chat' };
}

/** @throws GatewayError `not_found` */
async function lookUp(
  { models, instances, providers }: Dependencies,
  context: Caller,
  id: string | undefined,
) {
  const [reports, configured, costs] = await Promise.all([
    instances.reports(context),
    providers.list(context),
    providers.costsToday(context),
  ]);
  const provider = listOfProviders(models, reports, configured, costs).find((one) => one.id === id);
  if (!provider) throw new GatewayError('not_found');
  return { provider, reports };
}

/** Returns all providers by id: those of the catalog, and those that targets or instances name. */
function listOfProviders(
  models: ModelDirectory,
  reports: readonly InstanceReport[],
  configured: readonly ConfiguredProvider[],
  costs: DailyCosts | undefined,
) {
  const byId = new Map(configured.map((provider) => [provider.id, provider]));
  return providerHealth(models.all().values(), reports, [...byId.keys()]).map((health) =>
    toProviderJson(health, byId.get(health.id), costs),
  );
}

type Given<T> = { [Field in keyof T]?: Exclude<T[Field], undefined> };

const withoutUndefined = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
