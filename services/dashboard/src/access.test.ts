import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type EndpointDependencies, endpoints } from './routes/endpoints';
import {
  type Answer,
  type Dashboard,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

/** Who may call what. A route that is missing here, or is here and not there, fails. */
const ACCESS: Readonly<Record<string, 'public' | 'user' | 'operator'>> = {
  'POST /auth/register': 'public',
  'POST /auth/login': 'public',
  'POST /auth/refresh': 'user',
  'POST /auth/logout': 'user',
  'GET /models': 'user',
  'GET /models/*slug': 'user',
  'POST /models/*slug/opt-in': 'user',
  'GET /keys': 'user',
  'POST /keys': 'user',
  'GET /keys/:id': 'user',
  'POST /keys/:id/update': 'user',
  'POST /keys/:id/rotate': 'user',
  'POST /keys/:id/regenerate': 'user',
  'POST /keys/:id/enable': 'user',
  'POST /keys/:id/disable': 'user',
  'POST /keys/:id/delete': 'user',
  'GET /billing/balance': 'user',
  'GET /billing/limits': 'user',
  'POST /billing/limits': 'user',
  'GET /billing/topups': 'user',
  'GET /billing/ledger': 'user',
  'GET /admin/accounts': 'operator',
  'GET /admin/accounts/:id': 'operator',
  'POST /admin/accounts/:id/suspend': 'operator',
  'POST /admin/accounts/:id/topups': 'operator',
  'POST /admin/accounts/:id/adjustments': 'operator',
  'POST /admin/keys/:id/revoke': 'operator',
  'POST /admin/topups/:id/clear': 'operator',
  'GET /admin/throttle': 'operator',
  'POST /admin/throttle': 'operator',
  'GET /admin/models': 'operator',
  'POST /admin/models': 'operator',
  'GET /admin/models/*slug': 'operator',
  'POST /admin/models/*slug/update': 'operator',
  'POST /admin/models/*slug/status': 'operator',
  'POST /admin/models/*slug/delist': 'operator',
  'POST /admin/models/*slug/prices': 'operator',
};

/** A body that is good, for the routes that need one. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /auth/login': { email: 'nobody@example.com', password: 'password-1' },
  'POST /auth/register': { email: 'x', password: 'y', name: 'z' },
  'POST /keys': { name: 'a key' },
  'POST /keys/:id/update': { name: 'renamed', rpm_limit: 5 },
  'POST /keys/:id/rotate': { grace_seconds: 60 },
  'POST /billing/limits': { daily_limit: 1 },
  'POST /admin/accounts/:id/topups': { amount: 1, status: 'cleared' },
  'POST /admin/accounts/:id/adjustments': { amount: -1, reason: 'a test' },
  'POST /admin/throttle': { requests_per_second: 5 },
  'POST /admin/models': {
    slug: 'sim/new',
    name: 'New',
    input_modalities: ['text'],
    output_modalities: ['text'],
    targets: [{ provider: 'sim', upstream_model: 'x' }],
    pricing: { tokens: { input: 1, output: 2 } },
  },
  'POST /admin/models/*slug/update': { name: 'renamed' },
  'POST /admin/models/*slug/status': { status: 'disabled' },
  'POST /admin/models/*slug/delist': { successor: 'sim/chat' },
  'POST /admin/models/*slug/prices': { tokens: { input: 1, output: 2 } },
};

const routes = Object.keys(ACCESS);
const routesOf = (access: string) => routes.filter((route) => ACCESS[route] === access);
const routesWith = (param: string) => routes.filter((route) => route.includes(param));

let world: World;
let dashboard: Dashboard;
let owner: { token: string; account: { id: string } };
let other: { token: string; account: { id: string } };
let operator: string;

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  owner = await dashboard.register();
  other = await dashboard.register();
  operator = await dashboard.loginOperator();
});
beforeEach(() => {
  world.billing.calls.length = 0;
  world.catalog.edits.length = 0;
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

function call(route: string, token: string | undefined, id: string, body = BODIES[route]): Promise<Answer> {
  const [method, pattern = ''] = route.split(' ');
  const path = pattern.replace(':id', id).replace('*slug', id).slice(1);
  return method === 'GET' ? dashboard.get(path, token) : dashboard.post(path, body, token);
}

const nothingHappened = () => {
  expect(world.billing.calls).toEqual([]);
  expect(world.catalog.edits).toEqual([]);
};
const NOT_FOUND = { error: { type: 'not_found_error', code: 'not_found', message: 'Resource not found.' } };

test('every route of the API is in the table with its access, and no other', () => {
  const real = endpoints({} as EndpointDependencies).map(
    ({ method, path, access }) => [`${method} ${path}`, access] as const,
  );
  expect(Object.fromEntries(real)).toEqual(ACCESS);
  expect(real).toHaveLength(routes.length);
});

describe('nobody', () => {
  test.each([...routesOf('user'), ...routesOf('operator')])(
    '%s is refused without a login',
    async (route) => {
      for (const body of [BODIES[route], { nonsense: true }]) {
        const { status, body: answer } = await call(route, undefined, 'some-id', body);
        expect([status, answer.error.code]).toEqual([401, 'invalid_api_key']);
      }
      nothingHappened();
    },
  );

  test.each(routes)('%s is not there for an API key', async (route) => {
    const { status, body } = await call(route, 'sk-gw-something', 'some-id');
    expect([status, body]).toEqual([404, NOT_FOUND]);
    nothingHappened();
  });
});

describe('an owner', () => {
  test.each(routesOf('operator'))('%s is not there, whatever is sent', async (route) => {
    for (const id of [owner.account.id, other.account.id, 'nothing']) {
      for (const body of [BODIES[route], { nonsense: true }]) {
        const { status, body: answer } = await call(route, owner.token, id, body);
        expect([status, answer]).toEqual([404, NOT_FOUND]);
      }
    }
    nothingHappened();
  });

  const mine = routesOf('user').filter((route) => !route.includes('auth/'));
  test.each(mine)('%s answers for what is theirs', async (route) => {
    const { id } = (await dashboard.post('keys', { name: 'mine' }, owner.token)).body;
    const { status } = await call(route, owner.token, route.includes('*slug') ? 'sim/preview' : id);
    expect(status).toBe(200);
    const accounts = world.billing.calls.map(({ method, request }) => {
      const { accountId, id: accountItself } = request as { accountId?: string; id: string };
      return method === 'GetAccount' || method === 'UpdateAccountLimits' ? accountItself : accountId;
    });
    expect(new Set(accounts)).toEqual(new Set([owner.account.id]));
  });
});

describe('an operator', () => {
  test.each(routesOf('operator'))('%s answers', async (route) => {
    const made = await dashboard.post('keys', { name: 'theirs' }, owner.token);
    const topup = { amount: 1, status: 'pending' };
    const { body } = await dashboard.post(`admin/accounts/${owner.account.id}/topups`, topup, operator);
    const id = route.includes('*slug')
      ? 'sim/disabled'
      : ({ keys: made.body.id, topups: body.id }[route.split('/')[2]!] ?? owner.account.id);
    const answer = await call(route, operator, id);
    expect(answer.body).not.toHaveProperty('error');
    expect(answer.status).toBe(200);
  });
});

describe('an id that is not there', () => {
  const keyRoutes = routesWith('/keys/:id').filter((route) => ACCESS[route] === 'user');

  test.each(keyRoutes)("%s: another account's key is as unknown as none, to operators too", async (route) => {
    const { id } = (await dashboard.post('keys', { name: 'secret' }, other.token)).body;
    const before = (await dashboard.get(`keys/${id}`, other.token)).body;
    for (const token of [owner.token, operator]) {
      for (const target of [id, 'key_none', '%00', 'a%2Fb', 'x'.repeat(2_000)]) {
        const { status, body } = await call(route, token, target);
        expect([status, body]).toEqual([404, NOT_FOUND]);
      }
    }
    expect((await dashboard.get(`keys/${id}`, other.token)).body).toEqual(before);
  });

  test.each(routesOf('operator').filter((route) => route.includes(':id')))('%s', async (route) => {
    for (const target of ['none', '%00', owner.token]) {
      const { status, body } = await call(route, operator, target);
      expect([status, body]).toEqual([404, NOT_FOUND]);
    }
  });

  test.each(routesWith('*slug'))('%s', async (route) => {
    for (const target of ['sim/none', 'sim', 'SIM/chat', 'sim%2Fnone', 'a/b/c']) {
      const { status, body } = await call(route, operator, target);
      expect([status, body.error.code]).toEqual([404, 'model_not_found']);
    }
  });
});

describe('input', () => {
  const withFields = routes.filter((route) => BODIES[route] && !route.startsWith('POST /auth'));
  const withoutFields = routes.filter(
    (route) => route.startsWith('POST') && !BODIES[route] && !route.startsWith('POST /auth'),
  );
  const idFor = (route: string, key: string) => (route.includes('*slug') ? 'sim/preview' : key);

  test.each([...withFields, ...withoutFields])('%s refuses what it does not know', async (route) => {
    const { id } = (await dashboard.post('keys', { name: 'mine' }, owner.token)).body;
    world.billing.calls.length = 0;
    const token = ACCESS[route] === 'operator' ? operator : owner.token;
    for (const body of [{ ...BODIES[route], nonsense: true }, [], 'text', 1, null]) {
      if (body === null && mayBeLeftOut(route)) continue;
      const answer = await dashboard.send(`/api/v1/${pathOf(route, idFor(route, id))}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_request']);
    }
    nothingHappened();
  });

  const mayBeLeftOut = (route: string) => !BODIES[route] || route.endsWith('/delist');
  const pathOf = (route: string, id: string) =>
    route.split(' ')[1]!.replace(':id', id).replace('*slug', id).slice(1);
});
