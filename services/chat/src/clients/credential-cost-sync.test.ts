import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/catalog';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { SyncCredentialCostsRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/SyncCredentialCostsRequest';
import { createGrpcClient, loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';
import { DailyCosts } from '@gateway/upstream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CredentialCostSync } from './credential-cost-sync';

const SECRET = 'a-secret-for-tests-only';
const log = createLogger('test', 'silent');

let requests: SyncCredentialCostsRequest__Output[];
let totals: { credentialId: string; costNano: string }[];
let isFailing: boolean;
let costs: DailyCosts;
let sync: CredentialCostSync;
let stop: () => Promise<unknown>;

beforeEach(async () => {
  requests = [];
  totals = [];
  isFailing = false;
  const { CatalogService } = loadService<ProtoGrpcType>('catalog').gateway.catalog.v1;
  const { SyncCredentialCosts } = CatalogService.service;
  const answer = async (_context: unknown, request: SyncCredentialCostsRequest__Output) => {
    requests.push(request);
    if (isFailing) throw new GatewayError('internal_error');
    return { totals };
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('catalog', SECRET),
    services: [
      {
        definition: { SyncCredentialCosts },
        handlers: { SyncCredentialCosts: unary(log, answer) },
      },
    ],
  });
  const addresses = [`127.0.0.1:${server.port}`];
  const client = createGrpcClient(CatalogService, { addresses, trust: sharedSecret('chat', SECRET) });
  costs = new DailyCosts(() => Date.parse('2026-01-31T12:00:00Z'));
  sync = new CredentialCostSync({ client, costs, log });
  stop = async () => {
    client.close();
    await server.stop(0);
  };
});
afterEach(async () => {
  await sync.close();
  await stop();
});

const credential = (id: string, costPerDayNano?: string) => ({ id, name: id, limits: { costPerDayNano } });
const provider = (credentials: object[]) => ({ id: 'p', credentials }) as Provider__Output;

test('asks for the totals of limited credentials as soon as the providers are known', async () => {
  totals = [{ credentialId: 'limited', costNano: '500' }];
  sync.replaceProviders([provider([credential('limited', '500'), credential('free')])]);
  await sync.sync();
  expect(requests[0]).toMatchObject({
    instanceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    day: '2026-01-31',
    costs: [{ credentialId: 'limited', costNano: '0' }],
  });
  expect(costs.isSpent('limited')).toBe(true);
});

test('asks nothing while no credential has a limit and nothing was spent', async () => {
  sync.replaceProviders([provider([credential('free'), credential('also free', '0')])]);
  await sync.sync();
  expect(requests).toEqual([]);
});

test('reports the last costs when it is closed', async () => {
  sync.replaceProviders([provider([credential('free')])]);
  await sync.sync();
  costs.add('free', 9_007_199_254_740_993n);
  await sync.close();
  expect(requests.map((request) => request.costs)).toEqual([
    [{ credentialId: 'free', costNano: '9007199254740993' }],
  ]);
});

test('reports no more than 1,000 credentials at once', async () => {
  const credentials = Array.from({ length: 1_001 }, (_, at) => credential(`c${at}`, '5'));
  sync.replaceProviders([provider(credentials)]);
  await sync.sync();
  const sizes = requests.map((request) => request.costs.length);
  expect(sizes.slice(0, 2)).toEqual([1_000, 1]);
});

test('costs that catalog does not take are reported again', async () => {
  sync.replaceProviders([provider([credential('free')])]);
  await sync.sync();
  costs.add('free', 7n);
  isFailing = true;
  await sync.sync();
  isFailing = false;
  await sync.sync();
  expect(requests.map((request) => request.costs)).toEqual([
    [{ credentialId: 'free', costNano: '7' }],
    [{ credentialId: 'free', costNano: '7' }],
  ]);
});
