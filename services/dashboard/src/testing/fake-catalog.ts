import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/catalog';
import type { Credential } from '@gateway/proto/generated/gateway/catalog/v1/Credential';
import type { CredentialCost } from '@gateway/proto/generated/gateway/catalog/v1/CredentialCost';
import type { FindPricesRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/FindPricesRequest';
import type { FindPricesResponse } from '@gateway/proto/generated/gateway/catalog/v1/FindPricesResponse';
import type { Model } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { NewCredential } from '@gateway/proto/generated/gateway/catalog/v1/NewCredential';
import type { Pricing } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { Provider } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { WatchRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchRequest';
import type { WatchResponse } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';
import type { ServerWritableStream } from '@grpc/grpc-js';

const model = (slug: string, outputs: string[], more: Model = {}): Model => ({
  slug,
  name: slug,
  status: 'MODEL_STATUS_ACTIVE',
  inputModalities: ['text'],
  outputModalities: outputs,
  contextLength: 1_000,
  maxOutputTokens: 100,
  outputFloorTokens: 10,
  maxImageTokens: 0,
  targets: [
    {
      provider: 'sim',
      upstreamModel: 'x',
      weight: 2,
      priority: 1,
      connectTimeoutMs: 0,
      firstByteTimeoutMs: 0,
      idleTimeoutMs: 0,
    },
  ],
  createdAtMs: '1767225600000',
  pricing: {
    version: '7',
    source: 'a page',
    sourceDate: '2026-01-01',
    tokens: { inputNano: '75000000', outputNano: '1', cacheReadNano: '0' },
  },
  ...more,
});

export const MODELS: Model[] = [
  model('sim/chat', ['text'], { aliases: ['sim/chat-2026-01-01', 'Sim-Chat'] }),
  model('sim/image', ['image'], {
    pricing: {
      version: '8',
      source: 'a page',
      sourceDate: '2026-01-01',
      image: {
        perImage: [{ size: '1024x1024', quality: 'low', priceNano: '10000000' }],
        textInputNano: '5000000000',
      },
    },
  }),
  model('sim/video', ['video'], {
    workflow: ['create', 'status', 'result'],
    pricing: {
      version: '9',
      source: 'a page',
      sourceDate: '2026-01-01',
      video: {
        tiers: ['std', 'pro'],
        defaultTier: 'std',
        perSecondNano: { std: '50000000', pro: '100000000' },
      },
    },
  }),
  model('sim/both', ['text', 'image']),
  model('sim/preview', ['text'], { preview: true }),
  model('sim/disabled', ['text'], { status: 'MODEL_STATUS_DISABLED' }),
  model('sim/delisted', ['text'], { status: 'MODEL_STATUS_DELISTED', successor: 'sim/chat' }),
];

/** Of the provider that the fake catalog has at first. */
export const CREDENTIAL_ID = '00000000-0000-4000-8000-000000000001';

const vllm = (): Provider => ({
  id: 'vllm',
  kind: 'openai',
  name: 'A vLLM server',
  baseUrl: 'http://10.0.0.1:8000/v1',
  headers: { 'x-team': 'a' },
  optionsJson: '{}',
  enabled: true,
  createdAtMs: '1767225600000',
  credentials: [
    {
      id: CREDENTIAL_ID,
      name: 'main',
      hint: '…abcd',
      weight: 3,
      enabled: true,
      limits: { requestsPerMinute: 60, costPerDayNano: '2500000000' },
      createdAtMs: '1767225600000',
    },
  ],
});

type WatchCall = ServerWritableStream<WatchRequest__Output, WatchResponse>;

/**
 * Catalog's side of the contract: a snapshot for each client, followed by what the test sends. Changes are answered and kept
 * for the test, and are not sent on the stream.
 */
export async function startFakeCatalog(log: Logger, secret: string) {
  /** Fields of the provider that a test changes. */
  const ofProvider: Partial<Provider> = {};
  const watchers = new Set<WatchCall>();
  const { CatalogService } = loadService<ProtoGrpcType>('catalog').gateway.catalog.v1;
  const { Metadata } = await import('@grpc/grpc-js');
  const watch = (call: WatchCall) => {
    watchers.add(call);
    call.on('cancelled', () => watchers.delete(call));
    call.sendMetadata(new Metadata());
    call.write({ revision: '1', snapshot: true, models: MODELS });
  };
  const credentialCosts = { day: '2026-01-31', costs: [] as CredentialCost[], isUnknown: false };
  const edits: { method: string; request: unknown }[] = [];
  const known = (slug: string | undefined): Model => {
    const found = MODELS.find((one) => one.slug === slug);
    if (!found) throw new GatewayError('model_not_found');
    return found;
  };
  const priceRequests: FindPricesRequest__Output[] = [];
  const tokens = (inputNano: string, outputNano: string): Pricing => ({
    source: 'a list',
    sourceDate: '2026-01-01',
    tokens: { inputNano, outputNano },
  });
  const foundPrices: FindPricesResponse = {
    source: 'a list',
    sourceDate: '2026-01-01',
    missing: [{ upstreamModel: 'tolled', reason: 'unsupported price toll_cost' }],
    prices: [
      {
        upstreamModel: 'Org/Model:7b',
        model: model('', ['text'], {
          name: 'Model 7B',
          contextLength: 8_192,
          maxOutputTokens: 2_048,
          capabilities: ['tools'],
          pricing: tokens('110000000', '220000000'),
        }),
        cost: tokens('100000000', '200000000'),
        unpriced: ['search'],
      },
    ],
  };
  const knownProvider = (id: string): Provider => {
    if (id !== 'vllm') throw new GatewayError('not_found');
    return vllm();
  };
  const madeCredential = ({ name, weight = 1 }: NewCredential): Credential => ({
    id: '00000000-0000-4000-8000-000000000002',
    name: name ?? '',
    hint: '…',
    weight,
    enabled: true,
    createdAtMs: '1767225600000',
  });
  // biome-ignore lint/suspicious/noExplicitAny: each handler reads the fields of its own request.
  const handlers: Record<string, (request: any) => Model | Provider | object> = {
    CreateProvider: ({ credentials, ...made }) => ({
      ...made,
      name: made.name || made.id,
      enabled: true,
      createdAtMs: '1767225600000',
      credentials: credentials.map(madeCredential),
    }),
    UpdateProvider: ({ id, ...next }) => ({ ...knownProvider(id), ...next }),
    DeleteProvider: () => ({}),
    CreateCredential: ({ providerId, credential }) => {
      const provider = knownProvider(providerId);
      return { ...provider, credentials: [...(provider.credentials ?? []), madeCredential(credential)] };
    },
    UpdateCredential: ({ providerId, credentialId, name, weight, enabled }) => {
      const provider = knownProvider(providerId);
      const current = provider.credentials!.find(({ id }) => id === credentialId);
      if (!current) throw new GatewayError('not_found');
      const given = Object.entries({ name, weight, enabled }).filter(([, value]) => value !== undefined);
      return { ...provider, credentials: [{ ...current, ...Object.fromEntries(given) }] };
    },
    DeleteCredential: () => ({}),
    ApplyConfig: ({ configJson, dryRun }) => {
      const { providers = [] } = JSON.parse(configJson);
      const problems = providers.length > 1 ? [{ path: 'providers', message: 'too many' }] : [];
      const changes = [{ path: 'providers.groq.enabled', fromJson: 'true', toJson: 'false' }];
      return { problems, changes, applied: problems.length === 0 && !dryRun };
    },
    CreateModel: ({ model: made }) => ({ ...made, createdAtMs: '1767225600000' }),
    UpdateModel: ({ model: next, setAliases }) => {
      const { status, pricing, createdAtMs, aliases } = known(next.slug);
      return { ...next, status, pricing, createdAtMs, ...(!setAliases && { aliases }) };
    },
    SetModelStatus: ({ slug, status, successor }) => ({ ...known(slug), status, successor }),
    SetPricing: ({ slug, pricing, ifVersion }) => {
      const { version } = known(slug).pricing!;
      if (ifVersion !== '0' && ifVersion !== version) {
        throw new GatewayError('invalid_request', { detail: `if_version: their version is ${version}` });
      }
      return { ...known(slug), pricing: { ...pricing, version: '99' } };
    },
  };
  const answers = Object.entries(handlers).map(([method, handle]) => [
    method,
    unary(log, async (_context, request) => {
      edits.push({ method, request });
      return handle(request);
    }),
  ]);
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('catalog', secret),
    services: [
      {
        definition: CatalogService.service,
        handlers: {
          Watch: watch,
          ListCredentialCosts: unary(log, async () => {
            if (credentialCosts.isUnknown) throw new GatewayError('internal_error');
            return credentialCosts;
          }),
          ListProviders: unary(log, async () => ({ providers: [{ ...vllm(), ...ofProvider }] })),
          FindPrices: unary(log, async (_context, request: FindPricesRequest__Output) => {
            priceRequests.push(request);
            return foundPrices;
          }),
          ...Object.fromEntries(answers),
        },
      },
    ],
  });
  return {
    server,
    edits,
    ofProvider,
    priceRequests,
    credentialCosts,
    send(message: WatchResponse) {
      for (const watcher of watchers) watcher.write(message);
    },
    stop() {
      for (const watcher of watchers) watcher.end();
      return server.stop(1_000);
    },
  };
}
