import { writeForm } from '../support/form';
import { bearer, CHAT_ENDPOINTS, type ChatEndpoint, COMPLETIONS, MESSAGES } from './caller';
import type { ConformanceCase, World } from './case';

const WRONG_METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const API_PATHS = [
  '/',
  '/v1',
  '/v1/',
  '/v1/chat',
  `${COMPLETIONS.path}/`,
  `${MESSAGES.path}/`,
  `${MESSAGES.path}/count_token`,
  `${MESSAGES.path}/batch`,
  '/v1/batches/batch_1',
  '/V1/messages',
  '/messages',
  '/V1/chat/completions',
  '/v2/chat/completions',
  '/chat/completions',
  '/api/v1/models',
  '/api/v1/auth/login',
  '/v1/models/',
  '/v1/key/',
  '/v1/keys',
  '/metrics',
];
const DASHBOARD_PATHS = [
  '/api/v1/',
  '/api/v1/nothing',
  '/api/v1/keys/',
  '/api/v1/models//x',
  '/v1/models',
  COMPLETIONS.path,
  MESSAGES.path,
];

/** Paths with the id of a resource, and with an action if it has one. */
const OWNED: readonly ['GET' | 'POST', (customer: { keyId: string }) => string, object?][] = [
  ['GET', ({ keyId }) => `/api/v1/keys/${keyId}`],
  ['POST', ({ keyId }) => `/api/v1/keys/${keyId}/delete`, {}],
  ['POST', ({ keyId }) => `/api/v1/keys/${keyId}/update`, { name: 'mine' }],
  ['POST', ({ keyId }) => `/api/v1/keys/${keyId}/rotate`, { grace_seconds: 0 }],
  ['POST', ({ keyId }) => `/api/v1/keys/${keyId}/regenerate`, {}],
  ['POST', ({ keyId }) => `/api/v1/keys/${keyId}/enable`, {}],
  ['POST', ({ keyId }) => `/api/v1/keys/${keyId}/disable`, {}],
];

const OPERATOR_CALLS: readonly ['GET' | 'POST', (id: string) => string, object?][] = [
  ['GET', () => '/api/v1/admin/accounts'],
  ['POST', (id) => `/api/v1/admin/accounts/${id}/topups`, { amount: 1, status: 'cleared' }],
  ['POST', (id) => `/api/v1/admin/accounts/${id}/suspend`, {}],
  ['POST', (id) => `/api/v1/admin/accounts/${id}/adjustments`, { amount: 1 }],
  ['POST', (id) => `/api/v1/admin/keys/${id}/revoke`, {}],
  ['GET', () => '/api/v1/admin/throttle'],
  ['POST', () => '/api/v1/admin/throttle', {}],
  ['POST', () => '/api/v1/admin/models', {}],
];

const chatWith = (method: string, { path, body }: ChatEndpoint) => ({
  code: 'not_found' as const,
  when: `${method} ${path}`,
  provoke: ({ caller, customer }: World) => caller.api(method, path, bearer(customer.apiKey), body()),
});

export const NOT_FOUND_CASES: readonly ConformanceCase[] = [
  ...WRONG_METHODS.flatMap((method): ConformanceCase[] => [
    ...CHAT_ENDPOINTS.map((endpoint) => chatWith(method, endpoint)),
    ...['/v1/models', '/v1/responses/resp_1', '/v1/files/file-1', '/v1/batches', '/v1/messages/batches'].map(
      (path): ConformanceCase => ({
        code: 'not_found',
        when: `${method} ${path}`,
        provoke: ({ caller, customer }) => caller.api(method, path, bearer(customer.apiKey)),
      }),
    ),
    {
      code: 'not_found',
      when: `${method} /api/v1/keys`,
      provoke: ({ caller, customer }) => caller.dashboard(method, '/api/v1/keys', bearer(customer.token)),
    },
  ]),
  ...CHAT_ENDPOINTS.map((endpoint) => chatWith('GET', endpoint)),
  ...[
    'generateContent',
    'streamGenerateContent',
    'countTokens',
    'embedContent',
    'batchEmbedContents',
  ].flatMap((action) =>
    ['/v1beta/models/sim/chat', '/v1/models/sim/chat'].map(
      (path): ConformanceCase => ({
        code: 'not_found',
        when: `GET ${path}:${action}`,
        provoke: ({ caller, customer }) =>
          caller.api('GET', `${path}:${action}`, { 'x-goog-api-key': customer.apiKey }),
      }),
    ),
  ),
  {
    code: 'not_found',
    when: "another account's input_file_id, POST /v1/batches",
    async provoke({ system, caller, customer }) {
      const { contentType, body } = writeForm([
        ['purpose', 'batch'],
        ['file', Buffer.from('{}')],
      ]);
      const stranger = await system.provision();
      const file = await caller.api(
        'POST',
        '/v1/files',
        { ...bearer(stranger.apiKey), 'content-type': contentType },
        body,
      );
      return caller.api('POST', '/v1/batches', bearer(customer.apiKey), {
        input_file_id: file.json.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      });
    },
  },
  {
    code: 'not_found',
    when: 'POST /v1/models',
    provoke: ({ caller, customer }) => caller.api('POST', '/v1/models', bearer(customer.apiKey), {}),
  },
  ...API_PATHS.map(
    (path): ConformanceCase => ({
      code: 'not_found',
      when: `POST ${path}`,
      provoke: ({ caller, customer }) => caller.api('POST', path, bearer(customer.apiKey), MESSAGES.body()),
    }),
  ),
  ...DASHBOARD_PATHS.map(
    (path): ConformanceCase => ({
      code: 'not_found',
      when: `GET ${path} at the dashboard`,
      provoke: ({ caller, customer }) => caller.dashboard('GET', path, bearer(customer.token)),
    }),
  ),
  ...['/api/v1/models', '/api/v1/models/sim/chat', '/api/v1/keys', '/api/v1/auth/login'].map(
    (path): ConformanceCase => ({
      code: 'not_found',
      when: `an API key on ${path}`,
      provoke: ({ caller, customer }) => caller.dashboard('GET', path, bearer(customer.apiKey)),
    }),
  ),
  ...OWNED.flatMap(([method, path, body]): ConformanceCase[] => [
    {
      code: 'not_found',
      when: `another account’s id, ${method} ${path({ keyId: '{id}' })}`,
      async provoke({ system, caller, customer }) {
        const stranger = await system.provision({ balanceUsd: 0 });
        return caller.dashboard(method, path(customer), bearer(stranger.token), body);
      },
    },
    {
      code: 'not_found',
      when: `no such id, ${method} ${path({ keyId: '{id}' })}`,
      provoke: ({ caller, customer }) =>
        caller.dashboard(method, path({ keyId: 'key_none' }), bearer(customer.token), body),
    },
  ]),
  ...OPERATOR_CALLS.map(
    ([method, path, body]): ConformanceCase => ({
      code: 'not_found',
      when: `not an operator, ${method} ${path('{id}')}`,
      provoke: ({ caller, customer }) =>
        caller.dashboard(method, path(customer.id), bearer(customer.token), body),
    }),
  ),
];
