import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  type Dashboard,
  OPERATOR,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world, { LOGIN_LIMIT_PER_EMAIL: '3' });
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const login = (email: string, password: string) => dashboard.post('auth/login', { email, password });
const counted = async (event: string): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${dashboard.ports.admin}/metrics`)).text();
  return Number(
    new RegExp(`^security_events_total\\{event="${event}"\\} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0,
  );
};

test('logins, failed logins and lockouts are in the audit log of the user’s account, with the client’s address', async () => {
  const user = await dashboard.register();
  await login(user.email, user.password);
  for (let i = 0; i < 6; i++) await login(user.email, 'a wrong guess');
  await until(async () => {
    const { data } = (await dashboard.get('audit', user.token)).body;
    return data.some(({ action }: { action: string }) => action === 'login.locked_out');
  });
  const { data } = (await dashboard.get('audit', user.token)).body;
  const actions = data.map(({ action }: { action: string }) => action);
  expect(actions.sort()).toEqual([
    'login.failed',
    'login.failed',
    'login.failed',
    'login.locked_out',
    'login.succeeded',
  ]);
  for (const entry of data) {
    expect(entry).toMatchObject({
      actor: { email: user.email, operator: false },
      address: '127.0.0.1',
      request_id: expect.stringMatching(/.+/),
      outcome: 'done',
    });
  }
  expect(JSON.stringify(data)).not.toContain('a wrong guess');
});

test('the second refresh of a token is in the audit log', async () => {
  const user = await dashboard.register();
  const other = (await login(user.email, user.password)).body.token;
  await dashboard.post('auth/refresh', undefined, user.token);
  await dashboard.post('auth/refresh', undefined, user.token);
  const { data } = (await dashboard.get('audit', other)).body;
  expect(data[0]).toMatchObject({ action: 'token.reused', actor: { email: user.email } });
});

test('an operator’s lookup is in the account’s audit log once an hour, without the operator’s name', async () => {
  const user = await dashboard.register();
  const operator = (await login(OPERATOR.email, OPERATOR.password)).body.token;
  const before = await counted('operator.lookup');
  for (let i = 0; i < 3; i++) await dashboard.get(`admin/accounts/${user.account.id}`, operator);
  await dashboard.get(`admin/accounts/${user.account.id}/ledger`, operator);
  await dashboard.get(`admin/requests?account_id=${user.account.id}`, operator);
  expect((await counted('operator.lookup')) - before).toBe(5);
  const { data } = (await dashboard.get('audit', user.token)).body;
  expect(data).toMatchObject([
    { action: 'operator.lookup', changes: { call: 'admin/requests' } },
    {
      action: 'operator.lookup',
      changes: { call: 'admin/accounts/:id/ledger' },
      actor: { id: null, email: null, operator: true },
      address: null,
    },
    { action: 'operator.lookup', changes: { call: 'admin/accounts/:id' } },
  ]);
});

test('refused tokens, failed logins with unknown emails, registrations and changes are counted as security events', async () => {
  const events = ['token.refused', 'login.failed', 'user.registered', 'change'];
  const before = await Promise.all(events.map(counted));
  await dashboard.get('keys', 'not.a.token');
  await login('stranger@example.com', 'password-1');
  const user = await dashboard.register();
  await dashboard.post('keys', { name: 'a key' }, user.token);
  const after = await Promise.all(events.map(counted));
  expect(after.map((count, i) => count - before[i]!)).toEqual([1, 1, 1, 1]);
});
