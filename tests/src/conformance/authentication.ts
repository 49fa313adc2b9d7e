import type { ErrorCode } from '@gateway/errors';
import { until } from '@gateway/testing';

import type { HttpAnswer } from '../support/http';
import type { Customer } from '../support/system';
import { bearer, CHAT_ENDPOINTS, COMPLETIONS } from './caller';
import type { ConformanceCase, World } from './case';

const UNKNOWN = `sk-gw-${'a'.repeat(38)}`;
const EXPIRES_IN_MS = 1_500;

interface Endpoint {
  readonly name: string;
  /** Returns the headers in which the endpoint's clients present a key. */
  present(apiKey: string): Record<string, string>;
  call(world: World, headers: Record<string, string>): Promise<HttpAnswer>;
}

const byBearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
/** As Anthropic's clients present a key. */
const byApiKey = (apiKey: string) => ({ 'x-api-key': apiKey });

const GENERATION = { model: 'sim/image', prompt: 'A cat.' };

const API_ENDPOINTS: readonly Endpoint[] = [
  ...CHAT_ENDPOINTS.map(
    ({ path, body }): Endpoint => ({
      name: `POST ${path}`,
      present: path === COMPLETIONS.path ? byBearer : byApiKey,
      call: ({ caller }, headers) => caller.api('POST', path, headers, body()),
    }),
  ),
  {
    name: 'POST /v1/images',
    present: byBearer,
    call: ({ caller }, headers) => caller.api('POST', '/v1/images', headers, GENERATION),
  },
  {
    name: 'GET /v1/key',
    present: byBearer,
    call: ({ caller }, headers) => caller.api('GET', '/v1/key', headers),
  },
  {
    name: 'GET /v1/models',
    present: byBearer,
    call: ({ caller }, headers) => caller.api('GET', '/v1/models', headers),
  },
  {
    name: 'GET /v1/models/{slug}',
    present: byApiKey,
    call: ({ caller }, headers) => caller.api('GET', '/v1/models/sim/chat', headers),
  },
];

const DASHBOARD_ENDPOINTS: readonly Endpoint[] = (
  [
    ['GET', '/api/v1/models'],
    ['GET', '/api/v1/models/sim/chat'],
    ['GET', '/api/v1/keys'],
    ['POST', '/api/v1/keys'],
    ['GET', '/api/v1/billing/balance'],
    ['POST', '/api/v1/auth/refresh'],
  ] as const
).map(([method, path]) => ({
  name: `${method} ${path}`,
  present: byBearer,
  call: ({ caller }, headers) => caller.dashboard(method, path, headers, method === 'POST' ? {} : undefined),
}));

/** Credentials in place of a valid key. */
const REFUSED_KEYS: readonly [string, (world: World) => Record<string, string>][] = [
  ['no header', () => ({})],
  ['an empty header', () => ({ authorization: '' })],
  ['another scheme', () => ({ authorization: `Basic ${UNKNOWN}` })],
  ['the scheme in another case', ({ customer }) => ({ authorization: `bearer ${customer.apiKey}` })],
  ['no scheme', ({ customer }) => ({ authorization: customer.apiKey })],
  ['two spaces after the scheme', ({ customer }) => ({ authorization: `Bearer  ${customer.apiKey}` })],
  ['another prefix', () => ({ authorization: `Bearer sk-${'a'.repeat(40)}` })],
  [
    'the prefix in another case',
    ({ customer }) => ({ authorization: `Bearer ${customer.apiKey.replace('gw', 'GW')}` }),
  ],
  ['a prefix without a secret', () => ({ authorization: 'Bearer sk-gw-' })],
  ['a key of another environment', () => ({ authorization: `Bearer ${UNKNOWN}` })],
  ['a login token as key', ({ customer }) => bearer(customer.token) as Record<string, string>],
  ['an unknown x-api-key', () => ({ 'x-api-key': UNKNOWN })],
  ['an empty x-api-key', () => ({ 'x-api-key': '' })],
  ['a scheme in x-api-key', ({ customer }) => ({ 'x-api-key': `Bearer ${customer.apiKey}` })],
  ['a login token as x-api-key', ({ customer }) => ({ 'x-api-key': customer.token })],
  [
    'a valid x-api-key with an invalid Authorization',
    ({ customer }) => ({ authorization: `Bearer ${UNKNOWN}`, 'x-api-key': customer.apiKey }),
  ],
];

const REFUSED_TOKENS: readonly [string, (world: World) => Record<string, string>][] = [
  ['no token', () => ({})],
  ['a value that is not a token', () => ({ authorization: 'Bearer nonsense' })],
  [
    'a token with a wrong signature',
    ({ customer }) => ({ authorization: `Bearer ${forged(customer.token)}` }),
  ],
  [
    'a token without a signature',
    ({ customer }) => ({ authorization: `Bearer ${unsigned(customer.token)}` }),
  ],
];

type KeyChange = (world: World, customer: Customer) => Promise<string>;

const keyCall =
  (action: string, body: object = {}): KeyChange =>
  async ({ system }, { keyId, token, apiKey }) => {
    await system.dashboard.call('POST', `keys/${keyId}/${action}`, token, body);
    return apiKey;
  };

const operatorCall =
  (path: (customer: Customer) => string): KeyChange =>
  async ({ system }, customer) => {
    await system.dashboard.call('POST', path(customer), await system.operatorToken(), {});
    return customer.apiKey;
  };

/** Changes that end a valid key; each returns the value to present. */
const ENDED_KEYS: readonly [ErrorCode, string, KeyChange][] = [
  ['invalid_api_key', 'key deleted', keyCall('delete')],
  ['invalid_api_key', 'key disabled', keyCall('disable')],
  ['invalid_api_key', 'key regenerated, the old value', keyCall('regenerate')],
  ['invalid_api_key', 'key revoked as leaked', operatorCall(({ keyId }) => `admin/keys/${keyId}/revoke`)],
  ['invalid_api_key', 'account suspended', operatorCall(({ id }) => `admin/accounts/${id}/suspend`)],
  ['expired_api_key', 'rotated without grace, the old value', keyCall('rotate', { grace_seconds: 0 })],
];

export const AUTHENTICATION_CASES: readonly ConformanceCase[] = [
  ...API_ENDPOINTS.flatMap(({ name, present, call }) => [
    ...REFUSED_KEYS.map(([when, headers]) => ({
      code: 'invalid_api_key' as const,
      when: `${when}, ${name}`,
      provoke: (world: World) => call(world, headers(world)),
    })),
    ...ENDED_KEYS.map(([code, when, end]) => ({
      code,
      when: `${when}, ${name}`,
      async provoke(world: World) {
        const customer = await world.system.provision();
        const before = await call(world, present(customer.apiKey));
        if (before.status !== 200) throw new Error(`the key never worked: ${before.text}`);
        return call(world, present(await end(world, customer)));
      },
    })),
    {
      code: 'expired_api_key' as const,
      when: `expires_at has passed, ${name}`,
      async provoke(world: World) {
        const expires_at = new Date(Date.now() + EXPIRES_IN_MS).toISOString();
        const { apiKey } = await world.system.provision({ key: { expires_at } });
        await until(() => Date.now() > Date.parse(expires_at) + 100);
        return call(world, present(apiKey));
      },
    },
  ]),
  ...DASHBOARD_ENDPOINTS.flatMap(({ name, call }) =>
    REFUSED_TOKENS.map(([when, headers]) => ({
      code: 'invalid_api_key' as const,
      when: `${when}, ${name}`,
      provoke: (world: World) => call(world, headers(world)),
    })),
  ),
  {
    code: 'invalid_api_key',
    when: 'a token after logout, GET /api/v1/keys',
    async provoke({ system, caller }) {
      const { token } = await system.provision();
      await system.dashboard.call('POST', 'auth/logout', token, {});
      return caller.dashboard('GET', '/api/v1/keys', bearer(token));
    },
  },
];

function forged(token: string): string {
  const [head, payload, signature = ''] = token.split('.');
  const other = signature.startsWith('A') ? 'B' : 'A';
  return [head, payload, other + signature.slice(1)].join('.');
}

function unsigned(token: string): string {
  const [, payload] = token.split('.');
  const head = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return `${head}.${payload}.`;
}
