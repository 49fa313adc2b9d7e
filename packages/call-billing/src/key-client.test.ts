import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import {
  createGrpcClient,
  type GrpcServer,
  loadService,
  sharedSecret,
  startGrpcServer,
  unary,
} from '@gateway/rpc';
import { afterEach, expect, test } from '@jest/globals';
import { type CellBilling, Cells } from './cells';
import { KeyClient } from './key-client';

const SECRET = 'a secret for tests only';
const log = createLogger('test', 'silent');
const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
const { GetKeyContext } = BillingService.service;

const known = {
  keyId: 'k',
  accountId: 'a',
  allowedModels: ['x/y'],
  previewModels: [],
  valueId: 'v',
  bareModelNames: false,
  hasTpmLimit: false,
  scopes: [],
  allowedIps: [],
  clientAddress: '',
  noFallbackModels: false,
  dropUnsupportedTools: false,
  detailedMessages: false,
  cell: '',
};

let server: GrpcServer;
let client: InstanceType<typeof BillingService>;
afterEach(async () => {
  client.close();
  await server.stop(0);
});

/** Creates a client of a billing that returns the answer; without an answer, of one that does not implement the RPC. */
async function createKeyClient(answer?: () => object): Promise<KeyClient> {
  const handlers = answer && { GetKeyContext: unary(log, async () => answer()) };
  const services = handlers ? [{ definition: { GetKeyContext }, handlers }] : [];
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('billing', SECRET),
    services,
  });
  const addresses = [`127.0.0.1:${server.port}`];
  client = createGrpcClient(BillingService, { addresses, trust: sharedSecret('chat', SECRET) });
  return new KeyClient(new Cells({ client } as CellBilling));
}

test('returns the key that billing returns', async () => {
  const now = { ...known, allowedModels: [] };
  const keys = await createKeyClient(() => ({ key: now }));
  expect(await keys.current(known)).toEqual(now);
});

test.each(['invalid_api_key', 'expired_api_key'] as const)(
  'throws %s when billing refuses the key with it',
  async (code) => {
    const keys = await createKeyClient(() => {
      throw new GatewayError(code);
    });
    await expect(keys.current(known)).rejects.toMatchObject({ code });
  },
);

test('returns the known key when billing fails or does not implement the RPC', async () => {
  const failing = await createKeyClient(() => {
    throw new Error('no database');
  });
  expect(await failing.current(known)).toBe(known);
  client.close();
  await server.stop(0);
  expect(await (await createKeyClient()).current(known)).toBe(known);
});
