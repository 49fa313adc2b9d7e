import { GatewayError } from '@gateway/errors';
import type { ProtoGrpcType } from '@gateway/proto/generated/dashboard';
import { callUnary, createGrpcClient, loadService, sharedSecret } from '@gateway/rpc';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Dashboard, SECRET, startDashboard, startWorld, type World } from '../testing/dashboard-fixture';

let world: World;
let dashboard: Dashboard;
let owner: Awaited<ReturnType<Dashboard['register']>>;
let keyId: string;
let authorize: (loginToken: string, keyId: string) => Promise<unknown>;
let close: () => void;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  const { DashboardService } = loadService<ProtoGrpcType>('dashboard').gateway.dashboard.v1;
  const client = createGrpcClient(DashboardService, {
    trust: sharedSecret('edge', SECRET),
    addresses: [`127.0.0.1:${dashboard.ports.grpc}`],
  });
  close = () => client.close();
  authorize = (loginToken, id) =>
    callUnary(client, client.AuthorizePlaygroundCall, { loginToken, keyId: id }, { timeoutMs: 5_000 }).catch(
      (error: unknown) => GatewayError.from(error).code,
    );
  owner = await dashboard.register();
  keyId = await createKey(owner.token);
});
afterAll(async () => {
  close?.();
  await dashboard?.stop();
  await world?.stop();
});

const createKey = async (token: string): Promise<string> =>
  (await dashboard.post('keys', { name: 'a key', allowed_models: ['sim/chat'] }, token)).body.id;

async function loginMember(role: string): Promise<string> {
  const email = `${role}@example.com`;
  const { body } = await dashboard.post('members', { email, name: 'A member', role }, owner.token);
  return dashboard.firstLogin(email, body.password);
}

test("returns the key's context for a key of the account", async () => {
  const key = { keyId, accountId: owner.account.id, allowedModels: ['sim/chat'] };
  expect(await authorize(owner.token, keyId)).toMatchObject({ key });
});

test('refuses the token of a login that has ended', async () => {
  const { email, password } = owner;
  const { token } = (await dashboard.post('auth/login', { email, password })).body;
  expect(await authorize(token, keyId)).toHaveProperty('key');
  await dashboard.post('auth/logout', undefined, token);
  expect(await authorize(token, keyId)).toBe('invalid_api_key');
  expect(await authorize('not.a.token', keyId)).toBe('invalid_api_key');
});

test('answers not_found for an unknown key and for a key of another account', async () => {
  const other = await dashboard.register();
  expect(await authorize(owner.token, 'key_none')).toBe('not_found');
  expect(await authorize(owner.token, await createKey(other.token))).toBe('not_found');
});

test('answers invalid_request for a disabled key, because the login is valid', async () => {
  const disabled = await createKey(owner.token);
  await dashboard.post(`keys/${disabled}/disable`, undefined, owner.token);
  expect(await authorize(owner.token, disabled)).toBe('invalid_request');
});

test('refuses a viewer a call with a key, and allows a call without a key', async () => {
  const viewer = await loginMember('viewer');
  expect(await authorize(viewer, keyId)).toBe('not_found');
  expect(await authorize(viewer, '')).toMatchObject({ key: null });
  expect(await authorize(await loginMember('member'), keyId)).toHaveProperty('key');
});
