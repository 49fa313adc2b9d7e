import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  changesOf,
  type Dashboard,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let operator: string;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  operator = await dashboard.loginOperator();
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const post = (path: string, body?: object, headers = {}) =>
  dashboard.post(`admin/${path}`, body, operator, headers);
const get = async (path: string) => (await dashboard.get(`admin/${path}`, operator)).body;

test('creates an account with an owner, whose first password is shown once', async () => {
  const owner = { email: 'Boss@Example.com', name: 'The boss' };
  const { status, body } = await post('accounts', { name: 'Acme', owner });
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'Acme', status: 'active', owner_email: 'boss@example.com' });
  expect(body.owner).toMatchObject({ email: 'boss@example.com', name: 'The boss' });
  const { email, password } = body.owner;
  const { token } = (await dashboard.post('auth/login', { email, password })).body;
  expect((await dashboard.get('auth/me', token)).body).toEqual({
    user: { id: body.owner.id, email, name: 'The boss' },
    account: { id: body.id, name: 'Acme', status: 'active', preview_models: [] },
    role: 'owner',
    operator: false,
    must_change_password: true,
    api_url: null,
    cells: [],
  });
  const audit = await get(`audit?account_id=${body.id}`);
  expect(changesOf(audit)).toMatchObject([{ action: 'admin/accounts', subject: body.id, outcome: 'done' }]);
  expect(JSON.stringify(audit)).not.toContain(password);
  expect((await post('accounts', { name: 'Acme', owner })).body.error.code).toBe('email_taken');
});

test('creates an account without an owner, once per Idempotency-Key, and adds a member later', async () => {
  const headers = { 'idempotency-key': 'new customer' };
  const [first, again] = [
    await post('accounts', { name: 'B' }, headers),
    await post('accounts', { name: 'B' }, headers),
  ];
  expect(again.body).toEqual(first.body);
  expect(first.body).toMatchObject({ name: 'B', balance: 0, owner_email: null });
  const member = { email: 'b@example.com', name: 'B', role: 'owner' };
  const made = await post(`accounts/${first.body.id}/members`, member);
  expect(made.body).toMatchObject({ ...member, account_id: first.body.id });
  const { email, password } = made.body;
  expect((await dashboard.post('auth/login', { email, password })).status).toBe(200);
  expect((await get(`accounts/${first.body.id}/members`)).data).toMatchObject([member]);
  expect((await get(`accounts/${first.body.id}`)).owner_email).toBe('b@example.com');
});

test('refuses an account with invalid fields', async () => {
  const codes = [];
  for (const body of [{}, { name: '' }, { name: 'x', owner: {} }, { name: 'x', owner: { email: 'no' } }]) {
    codes.push((await post('accounts', body)).body.error.code);
  }
  expect(codes).toEqual(['missing_parameter', 'missing_parameter', 'missing_parameter', 'invalid_request']);
});

describe('an operator finds', () => {
  test('accounts by part of a name, by email and by id', async () => {
    const owner = { email: 'findme@needle.example', name: 'x' };
    const { id } = (await post('accounts', { name: 'Haystack Ltd', owner })).body;
    for (const query of ['haystack', 'NEEDLE.example', id]) {
      const { data } = await get(`accounts?query=${encodeURIComponent(query)}`);
      expect(data.map((account: { id: string }) => account.id)).toEqual([id]);
    }
    expect((await get('accounts?query=nothing-like-this')).data).toEqual([]);
    expect((await get('accounts?query=%00')).error.code).toBe('invalid_request');
  });

  test('the keys of an account, without their values', async () => {
    const owner = await dashboard.register();
    const { id, key } = (await dashboard.post('keys', { name: 'theirs' }, owner.token)).body;
    const list = await get(`accounts/${owner.account.id}/keys`);
    expect(list.data).toMatchObject([{ id, name: 'theirs' }]);
    expect(JSON.stringify(list)).not.toContain(key);
  });

  test('pending top-ups, until they are cleared', async () => {
    const owner = await dashboard.register();
    const topup = { amount: 5, status: 'pending' };
    const { id } = (await post(`accounts/${owner.account.id}/topups`, topup)).body;
    expect((await get('topups')).data).toMatchObject([{ id, account_id: owner.account.id, amount: 5 }]);
    expect((await get(`accounts/${owner.account.id}/topups`)).data).toMatchObject([{ id }]);
    expect((await get('topups?status=cleared')).data).toEqual([]);
    expect((await get('topups?status=lost')).error.code).toBe('invalid_request');
  });

  test('voided top-ups, with the references of their payments', async () => {
    const owner = await dashboard.register();
    const topup = { amount: 5, status: 'pending', reference: 'invoice 7' };
    const made = (await post(`accounts/${owner.account.id}/topups`, topup)).body;
    expect(made).toMatchObject({ reference: 'invoice 7', voided_at: null });
    const voided = (await post(`topups/${made.id}/void`)).body;
    expect(voided).toMatchObject({ ...topup, id: made.id, status: 'voided', cleared_at: null });
    expect(voided.voided_at).not.toBeNull();
    expect((await get('topups?status=voided')).data).toEqual([voided]);
    expect(changesOf(await get('audit')).slice(0, 1)).toMatchObject([
      { action: 'admin/topups/:id/void', subject: made.id, account_id: owner.account.id },
    ]);
    expect((await dashboard.get('billing/topups', owner.token)).body.data).toEqual([voided]);
    const refused = await post(`accounts/${owner.account.id}/topups`, {
      ...topup,
      reference: 'x'.repeat(201),
    });
    expect(refused.body.error.code).toBe('invalid_request');
  });
});

describe('losses of an account', () => {
  test('are listed for operators only, with the limit on abandoned calls', async () => {
    const owner = await dashboard.register();
    const path = `accounts/${owner.account.id}`;
    const { data } = await get(`${path}/losses`);
    expect(data).toEqual([
      { request_id: 'a-call', reason: 'abandoned', amount: 0.0000015, created_at: expect.any(String) },
    ]);
    expect(await get(`${path}/abandoned`)).toEqual({
      last_hour: 0.0000015,
      limit: 0.000001,
      limited_until: expect.any(String),
    });
    for (const name of ['losses', 'abandoned']) {
      expect((await get(`accounts/acct_unknown/${name}`)).error.code).toBe('not_found');
      expect((await dashboard.get(`admin/${path}/${name}`, owner.token)).status).toBe(404);
    }
  });
});
