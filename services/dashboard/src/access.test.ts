import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Access, ROLES, type Role } from './domain/access';
import { type EndpointDependencies, endpoints } from './routes/endpoints';
import {
  type Answer,
  type Dashboard,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';
import { CREDENTIAL_ID } from './testing/fake-catalog';

jest.setTimeout(30_000);

/** Required role of each route. The test fails if a route is missing here or does not exist. */
const ACCESS: Readonly<Record<string, Access>> = {
  'POST /auth/register': 'public',
  'POST /auth/login': 'public',
  'GET /auth/registration': 'public',
  'GET /auth/me': 'viewer',
  'POST /auth/refresh': 'viewer',
  'POST /auth/logout': 'viewer',
  'POST /auth/password': 'viewer',
  'GET /models': 'viewer',
  'GET /models/*slug': 'viewer',
  'POST /models/*slug/opt-in': 'owner',
  'GET /keys': 'viewer',
  'POST /keys': 'member',
  'GET /keys/:id': 'viewer',
  'GET /keys/:id/use': 'viewer',
  'POST /keys/:id/update': 'member',
  'POST /keys/:id/rotate': 'member',
  'POST /keys/:id/regenerate': 'member',
  'POST /keys/:id/enable': 'member',
  'POST /keys/:id/disable': 'member',
  'POST /keys/:id/delete': 'member',
  'GET /billing/balance': 'viewer',
  'GET /billing/limits': 'viewer',
  'POST /billing/limits': 'owner',
  'GET /account/settings': 'viewer',
  'POST /account/settings': 'owner',
  'GET /billing/use': 'viewer',
  'GET /billing/topups': 'viewer',
  'GET /billing/ledger': 'viewer',
  'GET /requests': 'viewer',
  'GET /requests/:id': 'viewer',
  'GET /usage': 'viewer',
  'GET /members': 'viewer',
  'GET /members/removed': 'owner',
  'POST /members': 'owner',
  'POST /members/:id/update': 'owner',
  'POST /members/:id/password': 'owner',
  'POST /members/:id/delete': 'owner',
  'GET /audit': 'owner',
  'GET /audit/export': 'owner',
  'GET /admin/audit': 'operator',
  'GET /admin/audit/export': 'operator',
  'GET /admin/operators': 'operator',
  'POST /admin/operators': 'operator',
  'POST /admin/operators/:id/remove': 'operator',
  'GET /admin/invitations': 'operator',
  'POST /admin/invitations': 'operator',
  'POST /admin/invitations/:id/revoke': 'operator',
  'GET /admin/accounts': 'operator',
  'POST /admin/accounts': 'operator',
  'GET /admin/accounts/:id': 'operator',
  'POST /admin/accounts/:id/suspend': 'operator',
  'POST /admin/accounts/:id/topups': 'operator',
  'POST /admin/accounts/:id/adjustments': 'operator',
  'GET /admin/accounts/:id/keys': 'operator',
  'GET /admin/accounts/:id/topups': 'operator',
  'GET /admin/accounts/:id/ledger': 'operator',
  'GET /admin/accounts/:id/losses': 'operator',
  'GET /admin/accounts/:id/abandoned': 'operator',
  'GET /admin/accounts/:id/members': 'operator',
  'POST /admin/accounts/:id/members': 'operator',
  'POST /admin/accounts/:id/members/:member/password': 'operator',
  'GET /admin/requests': 'operator',
  'GET /admin/requests/:id': 'operator',
  'GET /admin/topups': 'operator',
  'POST /admin/config/diff': 'operator',
  'POST /admin/config/apply': 'operator',
  'GET /admin/provider-presets': 'operator',
  'GET /admin/providers': 'operator',
  'POST /admin/providers': 'operator',
  'GET /admin/providers/:id': 'operator',
  'POST /admin/providers/:id/update': 'operator',
  'POST /admin/providers/:id/delete': 'operator',
  'POST /admin/providers/:id/test': 'operator',
  'POST /admin/providers/:id/credentials': 'operator',
  'POST /admin/providers/:id/credentials/:credential/update': 'operator',
  'POST /admin/providers/:id/credentials/:credential/delete': 'operator',
  'GET /admin/providers/:id/models': 'operator',
  'POST /admin/providers/:id/models/import': 'operator',
  'POST /admin/keys/:id/revoke': 'operator',
  'POST /admin/keys/find': 'operator',
  'POST /admin/keys/revoke-leaked': 'operator',
  'POST /secret-scanning/github': 'public',
  'POST /admin/topups/:id/clear': 'operator',
  'POST /admin/topups/:id/void': 'operator',
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

/** Valid bodies for the routes that need one. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /auth/login': { email: 'nobody@example.com', password: 'password-1' },
  'POST /auth/register': { email: 'x', password: 'y', name: 'z' },
  'POST /admin/operators': { email: 'another-operator@example.com' },
  'POST /keys': { name: 'a key' },
  'POST /keys/:id/update': { name: 'renamed', rpm_limit: 5 },
  'POST /keys/:id/rotate': { grace_seconds: 60 },
  'POST /billing/limits': { daily_limit: 1 },
  'POST /account/settings': { bare_model_names: true },
  'POST /auth/password': { password: 'password-1', new_password: 'password-1' },
  'POST /members': { email: 'a-member@example.com', name: 'A member', role: 'member' },
  'POST /members/:id/update': { role: 'viewer' },
  'POST /admin/accounts': { name: 'An account' },
  'POST /admin/accounts/:id/members': { email: 'their-member@example.com', name: 'M', role: 'owner' },
  'POST /admin/accounts/:id/topups': { amount: 1, status: 'cleared' },
  'POST /admin/accounts/:id/adjustments': { amount: -1, reason: 'a test' },
  'POST /admin/keys/find': { value: 'sk-gw-key_1-1' },
  'POST /admin/keys/revoke-leaked': { values: ['sk-gw-key_1-1'] },
  'POST /admin/throttle': { requests_per_second: 5 },
  'POST /admin/models': {
    slug: 'sim/new',
    name: 'New',
    input_modalities: ['text'],
    output_modalities: ['text'],
    targets: [{ provider: 'sim', upstream_model: 'x' }],
    pricing: { tokens: { input: 1, output: 2 } },
  },
  'POST /admin/config/diff': { settings: { requests_per_second: 5 } },
  'POST /admin/config/apply': { providers: [], models: [] },
  'POST /admin/providers': {
    id: 'groq',
    kind: 'openai',
    base_url: 'https://api.groq.com/openai/v1',
    credentials: [{ name: 'main', secret: 'gsk-1' }],
  },
  'POST /admin/providers/:id/update': { name: 'renamed' },
  'POST /admin/providers/:id/test': { model: 'x' },
  'POST /admin/providers/:id/credentials': { name: 'second', secret_ref: 'env:CREDENTIAL_B' },
  'POST /admin/providers/:id/credentials/:credential/update': { weight: 2 },
  'POST /admin/providers/:id/models/import': { models: [{ upstream_model: 'x', slug: 'sim/chat' }] },
  'POST /admin/models/*slug/update': { name: 'renamed' },
  'POST /admin/models/*slug/status': { status: 'disabled' },
  'POST /admin/models/*slug/delist': { successor: 'sim/chat' },
  'POST /admin/models/*slug/prices': { tokens: { input: 1, output: 2 } },
};

const routes = Object.keys(ACCESS);
const routesOf = (access: string) => routes.filter((route) => ACCESS[route] === access);
const ofUsers = routes.filter((route) => !['public', 'operator'].includes(ACCESS[route]!));
const routesWith = (param: string) => routes.filter((route) => route.includes(param));

let world: World;
let dashboard: Dashboard;
let owner: { token: string; account: { id: string } };
let other: { token: string; account: { id: string } };
let operator: string;
/** A member of the owner's account. */
let memberId: string;

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  owner = await dashboard.register();
  other = await dashboard.register();
  operator = await dashboard.loginOperator();
  memberId = (await dashboard.post('members', freshBody('POST /members'), owner.token)).body.id;
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
  const path = pattern
    .replace(/:id|\*slug/, id)
    .replace(':member', memberId)
    .replace(':credential', CREDENTIAL_ID)
    .slice(1);
  return method === 'GET' ? dashboard.get(path, token) : dashboard.post(path, body, token);
}

/** Creates the object that the route needs in the account, and returns its id. */
async function idIn(account: { token: string; account: { id: string } }, route: string): Promise<string> {
  if (route.includes('*slug')) return 'sim/preview';
  if (route.includes('/requests/:id')) {
    const id = `request-${world.billing.requests.length}`;
    world.billing.requests.push({ id, accountId: account.account.id, costNano: '0', startedAtMs: '0' });
    return id;
  }
  if (route.includes('/operators/:id')) {
    const email = `operator-${emails++}@example.com`;
    return (await dashboard.post('admin/operators', { email }, operator)).body.id;
  }
  if (route.includes('/invitations/:id'))
    return (await dashboard.post('admin/invitations', undefined, operator)).body.id;
  if (route.includes('/members/:id')) {
    const body = freshBody('POST /members');
    return (await dashboard.post('members', body, account.token)).body.id;
  }
  if (!route.includes(':id')) return '';
  return (await dashboard.post('keys', { name: 'a key' }, account.token)).body.id;
}

let emails = 0;
/** Returns a body with an unused email where the route needs one. */
const freshBody = (route: string) =>
  route.endsWith('/members') && BODIES[route]
    ? { ...BODIES[route], email: `member-${emails++}@example.com` }
    : BODIES[route];

const nothingHappened = () => {
  expect(world.billing.calls).toEqual([]);
  expect(world.catalog.edits).toEqual([]);
};
const NOT_FOUND = { error: { type: 'not_found_error', code: 'not_found', message: 'Resource not found.' } };

test('the table lists exactly the routes of the API with their access', () => {
  const real = endpoints({} as EndpointDependencies).map(
    ({ method, path, access }) => [`${method} ${path}`, access] as const,
  );
  expect(Object.fromEntries(real)).toEqual(ACCESS);
  expect(real).toHaveLength(routes.length);
});

describe('without a login', () => {
  test.each([...ofUsers, ...routesOf('operator')])('refuses %s without a login', async (route) => {
    for (const body of [BODIES[route], { nonsense: true }]) {
      const { status, body: answer } = await call(route, undefined, 'some-id', body);
      expect([status, answer.error.code]).toEqual([401, 'invalid_api_key']);
    }
    nothingHappened();
  });

  test.each(routes)('answers not_found to an API key at %s', async (route) => {
    const { status, body } = await call(route, 'sk-gw-something', 'some-id');
    expect([status, body]).toEqual([404, NOT_FOUND]);
    nothingHappened();
  });
});

describe('an owner', () => {
  test.each(routesOf('operator'))('answers not_found at %s, whatever the body', async (route) => {
    for (const id of [owner.account.id, other.account.id, 'nothing']) {
      for (const body of [BODIES[route], { nonsense: true }]) {
        const { status, body: answer } = await call(route, owner.token, id, body);
        expect([status, answer]).toEqual([404, NOT_FOUND]);
      }
    }
    nothingHappened();
  });

  const mine = ofUsers.filter((route) => !route.includes('auth/'));
  test.each(mine)('may call %s for its own account', async (route) => {
    const { status } = await call(route, owner.token, await idIn(owner, route), freshBody(route));
    expect(status).toBe(200);
    const accounts = world.billing.calls.map(({ method, request }) => {
      const { accountId, id: accountItself } = request as { accountId?: string; id: string };
      return method === 'GetAccount' || method === 'UpdateAccountLimits' ? accountItself : accountId;
    });
    for (const account of accounts) expect(account).toBe(owner.account.id);
  });
});

describe.each(['viewer', 'member'] as const)('a %s', (role) => {
  let token: string;
  beforeAll(async () => {
    const email = `${role}@example.com`;
    const made = await dashboard.post('members', { email, name: role, role }, owner.token);
    expect(made.status).toBe(200);
    token = await dashboard.firstLogin(email, made.body.password);
  });

  const tried = ofUsers.filter((route) => !route.includes('auth/'));
  test.each(tried)('gets the response that the role allows from %s', async (route) => {
    const id = await idIn(owner, route);
    world.billing.calls.length = 0;
    const { status, body } = await call(route, token, id, freshBody(route));
    if (ROLES.indexOf(role) >= ROLES.indexOf(ACCESS[route] as Role)) {
      expect(status).toBe(200);
    } else {
      expect([status, body]).toEqual([404, NOT_FOUND]);
      nothingHappened();
    }
  });

  test.each(routesOf('operator'))('answers not_found at %s', async (route) => {
    const { status, body } = await call(route, token, owner.account.id);
    expect([status, body]).toEqual([404, NOT_FOUND]);
    nothingHappened();
  });
});

describe('an operator', () => {
  test.each(routesOf('operator'))('may call %s', async (route) => {
    const made = await dashboard.post('keys', { name: 'theirs' }, owner.token);
    const topup = { amount: 1, status: 'pending' };
    const { body } = await dashboard.post(`admin/accounts/${owner.account.id}/topups`, topup, operator);
    const id = route.includes('*slug')
      ? 'sim/disabled'
      : /\/(?:requests|operators|invitations)\/:id/.test(route)
        ? await idIn(owner, route)
        : ({ keys: made.body.id, topups: body.id, providers: 'vllm' }[route.split('/')[2]!] ??
          owner.account.id);
    const answer = await call(route, operator, id);
    expect(answer.body).not.toHaveProperty('error');
    expect(answer.status).toBe(200);
  });
});

describe('an unknown id', () => {
  const ofAccounts = routesWith(':id').filter((route) => ofUsers.includes(route));

  test.each(ofAccounts)(
    'gets the same not_found from %s as an id of another account, for operators too',
    async (route) => {
      const id = await idIn(other, route);
      const list = `${route.split('/')[1]}?limit=1000`;
      const before = (await dashboard.get(list, other.token)).body;
      for (const token of [owner.token, operator]) {
        for (const target of [id, 'key_none', '%00', 'a%2Fb', 'x'.repeat(2_000)]) {
          const { status, body } = await call(route, token, target);
          expect([status, body]).toEqual([404, NOT_FOUND]);
        }
      }
      expect((await dashboard.get(list, other.token)).body).toEqual(before);
    },
  );

  test.each(routesOf('operator').filter((route) => route.includes(':id')))(
    'gets a not-found error from %s',
    async (route) => {
      for (const target of ['none', '%00', owner.token]) {
        const { status, body } = await call(route, operator, target);
        expect([status, body]).toEqual([404, NOT_FOUND]);
      }
    },
  );

  test.each(routesWith('*slug'))('gets a not-found error from %s', async (route) => {
    for (const target of ['sim/none', 'sim', 'SIM/chat', 'sim%2Fnone', 'a/b/c']) {
      const { status, body } = await call(route, operator, target);
      expect([status, body.error.code]).toEqual([404, 'model_not_found']);
    }
  });
});

describe('unknown fields', () => {
  const withFields = routes.filter((route) => BODIES[route] && !route.startsWith('POST /auth'));
  const withoutFields = routes.filter(
    // The signature of a scanner's report is checked first.
    (route) => route.startsWith('POST') && !BODIES[route] && !/auth|playground|secret-scanning/.test(route),
  );
  const idFor = (route: string, key: string) => (route.includes('*slug') ? 'sim/preview' : key);

  test.each([...withFields, ...withoutFields])('are refused in the body of %s', async (route) => {
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

  const mayBeLeftOut = (route: string) => !BODIES[route] || /\/(delist|test)$/.test(route);
  const pathOf = (route: string, id: string) =>
    route
      .split(' ')[1]!
      .replace(':id', id)
      .replace(':member', memberId)
      .replace(':credential', CREDENTIAL_ID)
      .replace('*slug', id)
      .slice(1);
});
