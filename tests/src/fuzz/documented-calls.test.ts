import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyErrorCode } from '@gateway/errors';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ApiDocument, apiDocument } from '../../../services/dashboard/src/openapi/api-document';
import { type EndpointDependencies, endpoints } from '../../../services/dashboard/src/routes/endpoints';
import { DocumentCheck } from '../../../services/dashboard/src/testing/document-check';
import { bearer, type Caller, createCaller } from '../conformance/caller';
import type { HttpAnswer } from '../support/http';
import { type Customer, type System, startSystem } from '../support/system';
import { watchHealth } from '../support/watch-health';
import { mutatedValue, odd } from './mutate';
import { caseCount, runFuzz } from './run-fuzz';
import { type SchemaValues, valuesOf } from './schema-values';
import { expectWithinContract } from './within-contract';

const TIME_LIMIT_MS = 2_000_000;
/** Cases per operation in the heavy run. */
const CASES = 500;
const LOGIN_FRESH_MS = 300_000;
/** Minimum of the throttle, so that it does not refuse the fuzzer. */
const MIN_THROTTLE = 1_000_000;

/** Operations that have returned 200. */
const reached = new Set<string>();

// biome-ignore lint/suspicious/noExplicitAny: schemas and answers are read as what they are known to hold.
type Loose = any;

/** From the sources, so that each operation has its own test; another test compares it with the served document. */
const v1Bodies = JSON.parse(
  readFileSync(join(__dirname, '../../../services/dashboard/openapi/v1-bodies.json'), 'utf8'),
);
const here = apiDocument({
  endpoints: endpoints({} as EndpointDependencies),
  v1Bodies,
  apiUrl: undefined,
});
const check = new DocumentCheck(JSON.parse(JSON.stringify(here)) as ApiDocument);
const OPERATIONS = check.operations.map(({ method, path, operation }) => ({ method, path, operation }));

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
/** Operations that need a form, or a URL that these calls cannot know. */
const BEYOND_REACH = [
  'GET /v1/videos/files/{token}',
  'POST /v1/audio/transcriptions',
  'POST /v1/audio/translations',
  'POST /v1/files',
  'POST /v1/images/edits',
  // The batches of these calls end within a second.
  'POST /v1/batches/{batch_id}/cancel',
  'POST /api/v1/playground/images/edits',
  'GET /api/v1/playground/videos/files/{token}',
];

let system: System;
let caller: Caller;
let checkHealth: () => void;
/** Its key pays, and its login is used except where a call would end it. */
let customer: Customer;
let loggedInMs = Date.now();
let stranger: Customer;
let victim: Customer;
let leaver: Customer;
/** Logs in separately, because an additional login ends the oldest of its user. */
let visitor: Customer;
/** Existing ids, by the path segment before them. */
const ids: Record<string, string[]> = {};

beforeAll(async () => {
  system = await startSystem({
    autoRestart: false,
    settings: {
      media: { VIDEO_POLL_INTERVAL_MS: '200' },
      // One account and one address make all of these calls.
      dashboard: {
        CHANGE_LIMIT_PER_ACCOUNT: '1000000',
        MEMBER_LIMIT_PER_ACCOUNT: '1000000',
        LOGIN_LIMIT_PER_ADDRESS: '1000000',
        LOGIN_LIMIT_PER_EMAIL: '1000000',
        LOGIN_LIMIT_PER_USER: '1000000',
      },
    },
  });
  caller = createCaller(system);
  [customer, stranger, victim, leaver, visitor] = [
    await system.provision({ balanceUsd: 1_000_000 }),
    await system.provision(),
    await system.provision(),
    await system.provision(),
    await system.provision(),
  ];
  const operator = await system.operatorToken();
  const post = async (path: string, body: object, token = customer.token) =>
    (await caller.dashboard('POST', `/api/v1/${path}`, bearer(token), body)).json;
  const makeKey = async () => (await post('keys', { name: 'spare' })).id as string;
  const makeMember = async (at: number, token = customer.token) => {
    const body = { email: `member-${at}@example.com`, name: 'M', role: 'viewer' };
    return (await post('members', body, token)).id as string;
  };
  const spare = await makeKey();
  const makeTopup = async () =>
    (await post(`admin/accounts/${victim.id}/topups`, { amount: 1, status: 'pending' }, operator))
      .id as string;
  const makeProvider = async (at: number) => {
    const credentials = [{ name: 'main', secret: 'sk-fuzz' }];
    const provider = { id: `fuzz-${at}`, kind: 'openai', base_url: UNREACHABLE, credentials };
    return (await post('admin/providers', provider, operator)).id as string;
  };
  const provider = await makeProvider(0);
  const { credentials } = (
    await caller.dashboard('GET', `/api/v1/admin/providers/${provider}`, bearer(operator))
  ).json;
  const video = { model: 'sim/video', prompt: 'a cat', duration: 5 };
  const task = await caller.api('POST', '/v1/videos/sim/create', bearer(customer.apiKey), video);
  const makeResponse = async (fields: object = {}) => {
    const call = { model: 'sim/chat', input: 'hi', ...fields };
    return (await caller.api('POST', '/v1/responses', bearer(customer.apiKey), call)).json.id as string;
  };
  const makeFile = async (content = '{}') => {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new File([content], 'a.jsonl'));
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    const answer = await fetch(`${system.stack.apiUrl}/v1/files`, { method: 'POST', headers, body: form });
    return ((await answer.json()) as { id: string }).id;
  };
  const hi = { model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }] };
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: hi };
  const input = await makeFile(JSON.stringify(line));
  const makeBatch = async () => {
    const batch = { input_file_id: input, endpoint: line.url, completion_window: '24h' };
    return (await caller.api('POST', '/v1/batches', bearer(customer.apiKey), batch)).json.id as string;
  };
  const makeMessageBatch = async () => {
    const requests = [{ custom_id: 'a', params: { ...hi, max_tokens: 10 } }];
    const path = '/v1/messages/batches';
    const { id } = (await caller.api('POST', path, bearer(customer.apiKey), { requests })).json;
    await until(async () => {
      const { json } = await caller.api('GET', `${path}/${id}`, bearer(customer.apiKey));
      return json.processing_status === 'ended';
    });
    return id as string;
  };
  Object.assign(ids, {
    files: [await makeFile()],
    'files to delete': await inTurn(5, () => makeFile()),
    'files of batches': [input],
    batches: [await makeBatch()],
    'message batches': [await makeMessageBatch()],
    'message batches to delete': await inTurn(3, makeMessageBatch),
    responses: [await makeResponse()],
    'responses to delete': await inTurn(5, () => makeResponse()),
    'responses to cancel': [await makeResponse({ background: true })],
    keys: [spare, await makeKey(), stranger.keyId],
    'keys to delete': await inTurn(10, makeKey),
    members: [await makeMember(0)],
    'members to delete': await inTurn(5, (at) => makeMember(at + 1)),
    topups: [await makeTopup()],
    'topups to void': await inTurn(5, makeTopup),
    accounts: [victim.id],
    providers: [provider],
    'providers to delete': await inTurn(5, (at) => makeProvider(at + 1)),
    credentials: [credentials[0].id],
    'members of accounts': [await makeMember(6, victim.token)],
    operators: [(await post('admin/operators', { email: 'fuzz-operator@example.com' }, operator)).id],
    invitations: [(await post('admin/invitations', {}, operator)).id],
    requests: [String(task.headers['x-request-id'])],
    'admin/keys': [victim.keyId],
    task_id: [task.json.task_id],
    key_id: [customer.keyId, customer.keyId, spare],
  });
  checkHealth = watchHealth(system);
}, 60_000);
afterAll(() => system?.stop(), 30_000);

async function inTurn<T>(times: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let at = 0; at < times; at++) made.push(await make(at));
  return made;
}

const MODELS = [
  'sim/chat',
  'sim/image',
  'sim/video',
  'sim/preview',
  'sim/disabled',
  'sim/delisted',
  'openai/gpt-5.5',
];
/** A port on which nothing can listen. */
const UNREACHABLE = 'http://127.0.0.1:1/v1';
/** Models that only this test uses. */
const SPARE_MODELS = ['sim/disabled', 'sim/delisted'];
const among = (list: () => readonly string[]) =>
  fc.nat(1_000).map((at) => list()[at % list().length] ?? 'none');

const CONVERSATIONS = [
  [{ role: 'user', content: 'hi' }],
  [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'ho' }] },
    { role: 'user', content: '[[sim {"chunks":3}]]' },
  ],
];

const pools: SchemaValues['pools'] = {
  model: fc.constantFrom(...MODELS),
  key_id: among(() => ids.key_id ?? []),
  value: among(() => [victim.apiKey]),
  task_id: fc.oneof(
    among(() => ids.task_id ?? []),
    fc.constant('task_0190b5a0-0000-7000-8000-000000000000'),
  ),
  input_file_id: among(() => ids['files of batches'] ?? []),
  email: fc.oneof(
    among(() => [visitor.email]),
    fc.nat(1_000).map((at) => `fuzz-${at}@example.com`),
  ),
  messages: fc.constantFrom(...CONVERSATIONS),
  prompt: fc.constantFrom('a cat', 'a dog', 'a hat', '[[sim {"status":500}]]', '[[sim {"policy":true}]]'),
  upstream_model: fc.constant('x'),
  input_modalities: fc.constant(['text']),
  output_modalities: fc.constant(['text']),
  pricing: fc.constant({ tokens: { input: 1, output: 2 } }),
  tokens: fc.constant({ input: 1, output: 2 }),
  slug: fc.nat(100_000).map((at) => `fuzz/model-${at}`),
  new_password: fc.string({ minLength: 8 }),
  requests_per_second: fc.oneof(fc.constant(null), fc.constant(MIN_THROTTLE)),
  provider: fc.constantFrom('sim', 'openai', 'nobody'),
  // Nothing may replace a provider of the environment, or be called outside this machine.
  id: fc.nat(20).map((at) => `fuzz-${at}`),
  kind: fc.constantFrom('openai', 'anthropic', 'gemini', 'nothing'),
  base_url: fc.constant(UNREACHABLE),
  options: fc.constant({}),
  settings: fc.constant({}),
};
/** Makes a text model consistent beyond what its schema can express. */
const textModel: SchemaValues['pools'] = {
  name: fc.constant('Fuzz'),
  successor: fc.constant(null),
  context_length: fc.constant(1_000),
  max_output_tokens: fc.constant(100),
  output_floor_tokens: fc.constant(1),
  capabilities: fc.constant([]),
  workflow: fc.constant([]),
  image: fc.constant(null),
  video: fc.constant(null),
};
const named = check.document.components.schemas;
const around: SchemaValues = { named, pools };

/** Values by field name: mostly a suitable model, often the right password. */
function aroundOf(path: string): SchemaValues {
  const fit = /videos/.test(path) ? 'sim/video' : /images/.test(path) ? 'sim/image' : 'sim/chat';
  const model = fc.oneof(
    { arbitrary: fc.constant(fit), weight: 3 },
    { arbitrary: fc.constantFrom(...MODELS), weight: 1 },
  );
  const password = fc.oneof(
    among(() => [path.endsWith('/auth/password') ? stranger.password : visitor.password]),
    fc.string({ minLength: 8 }),
  );
  return { named, pools: { ...pools, model, password } };
}

interface DocumentedCall {
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
  /** `other`: the credential of the other address space. */
  readonly who: 'right' | 'none' | 'wrong' | 'other';
  readonly idempotencyKey: string | undefined;
}

/** Any path segment except those that change the path. */
const strangeSegment = fc.oneof(
  fc.constantFrom('none', '%00', '%ff', 'a%2Fb', '__proto__', 'x'.repeat(300), "';--", '%F0%9F%90%88'),
  fc.string({ maxLength: 12, unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
);

function segmentFor(name: string, path: string): fc.Arbitrary<string> {
  const before = path
    .slice(0, path.indexOf(`{${name}}`))
    .split('/')
    .slice(3, -1);
  const destructiveAction = /\/(delete|void)$/.exec(path)?.[1];
  const list = destructiveAction ? `${before.at(-1)} to ${destructiveAction}` : before.at(-1)!;
  const known: Readonly<Record<string, fc.Arbitrary<string>>> = {
    id: among(() => ids[before.join('/')] ?? ids[list] ?? []),
    member: among(() => ids['members of accounts'] ?? []),
    credential: among(() => ids.credentials ?? []),
    slug: fc.constantFrom(...(path.includes('/admin/') ? SPARE_MODELS : MODELS)),
    model: fc.constantFrom(...MODELS),
    file_id: among(() => ids[destructiveAction ? 'files to delete' : 'files'] ?? []),
    batch_id: among(() => ids[batchesOf(path)] ?? []),
    response_id: among(() => ids[responsesOf(path)] ?? []),
    provider: fc.constantFrom('sim', 'sim', 'sim', 'openai', 'kling', 'nobody'),
    token: fc.constantFrom('abc', 'task_0190b5a0-0000-7000-8000-000000000000.0.9999999999.abc'),
  };
  return fc.oneof({ arbitrary: known[name]!, weight: 4 }, { arbitrary: strangeSegment, weight: 1 });
}

function responsesOf(path: string): string {
  const action = /\/(delete|cancel)$/.exec(path)?.[1];
  return action ? `responses to ${action}` : 'responses';
}

function batchesOf(path: string): string {
  if (!path.startsWith('/v1/messages/')) return 'batches';
  return path.endsWith('/delete') ? 'message batches to delete' : 'message batches';
}

function pathsOf(path: string): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return fc
    .tuple(...names.map((name) => segmentFor(name, path)))
    .map((segments) =>
      names.reduce((filled, name, at) => filled.replace(`{${name}}`, () => segments[at]!), path),
    );
}

function queriesOf(parameters: readonly Loose[]): fc.Arbitrary<string> {
  const named = parameters.filter((parameter) => parameter.in === 'query');
  if (named.length === 0) return fc.constantFrom('', '', '?x=1', '?__proto__=1');
  const one = fc
    .constantFrom(...named)
    .chain(({ name, schema }: Loose) =>
      fc
        .oneof({ arbitrary: valuesOf(schema, around), weight: 3 }, { arbitrary: odd, weight: 1 })
        .map((value) => `${name}=${encodeURIComponent(asText(value).toWellFormed())}`),
    );
  return fc.array(one, { maxLength: 3 }).map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

function bodiesOf(path: string, requestBody: Loose): fc.Arbitrary<string | undefined> {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return fc.constant(undefined);
  const values = fc.oneof(
    valuesOf(schema, aroundOf(path)),
    ...(path.endsWith('/admin/models')
      ? [valuesOf(schema, { named, pools: { ...pools, ...textModel } })]
      : []),
  );
  return fc.oneof(
    { arbitrary: values.map((value) => JSON.stringify(value)), weight: 5 },
    { arbitrary: mutatedValue(values), weight: 5 },
    { arbitrary: fc.constantFrom(undefined, '', '{', 'null', '[]', '{"a":1,"a":2}'), weight: 1 },
  );
}

function callsOf({ path, operation }: (typeof OPERATIONS)[number]): fc.Arbitrary<DocumentedCall> {
  return fc
    .record({
      path: pathsOf(path),
      query: queriesOf(operation.parameters),
      body: bodiesOf(path, operation.requestBody),
      who: fc.oneof(
        { arbitrary: fc.constant('right' as const), weight: 8 },
        { arbitrary: fc.constantFrom('none' as const, 'wrong' as const, 'other' as const), weight: 1 },
      ),
      idempotencyKey: fc.option(fc.constantFrom('a', 'x'.repeat(255), 'x'.repeat(300)), {
        freq: 5,
        nil: undefined,
      }),
    } satisfies Record<keyof DocumentedCall, fc.Arbitrary<unknown>>)
    .filter(({ body }) => !path.endsWith('/throttle') || isHarmless(body));
}

function isHarmless(body: string | undefined): boolean {
  const rate = parsed(body)?.requests_per_second;
  return typeof rate !== 'number' || rate >= MIN_THROTTLE;
}

function parsed(text: string | undefined): Loose {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Returns a separate login for calls that would end it. */
async function loginFor(path: string): Promise<string> {
  if (path.startsWith('/api/v1/admin/')) return system.operatorToken();
  if (path.endsWith('/auth/logout')) return leaver.token;
  // A token that is refreshed twice ends its login.
  if (path.endsWith('/auth/refresh')) return newLogin(leaver);
  return /auth\/password|billing\/limits/.test(path) ? stranger.token : customer.token;
}

async function newLogin({ email, password }: Customer): Promise<string> {
  const { token } = await system.dashboard.call('POST', 'auth/login', undefined, { email, password });
  return token;
}

async function credentialsOf(path: string, who: DocumentedCall['who']) {
  if (who === 'none') return {};
  if (who === 'wrong') return bearer('nonsense');
  const ofApi = path.startsWith('/v1/');
  if (who === 'other') return bearer(ofApi ? customer.token : customer.apiKey);
  return bearer(ofApi ? customer.apiKey : await loginFor(path));
}

async function answerTo(method: string, template: string, call: DocumentedCall): Promise<HttpAnswer> {
  const { path, query, body, who, idempotencyKey } = call;
  const headers = { ...(await credentialsOf(template, who)), 'idempotency-key': idempotencyKey };
  const send = path.startsWith('/v1/') ? caller.api : caller.dashboard;
  return send(method, `${path}${query}`, headers, method === 'POST' ? body : undefined);
}

/** Checks that the response is no 500, has the error envelope and matches the document. */
function expectDocumented(method: string, template: string, answer: HttpAnswer): void {
  const known = OPERATIONS.find((one) => one.method === method && one.path === template);
  const codes = new Set(
    Object.values<Loose>(known?.operation.responses ?? {}).flatMap(({ content }) =>
      Object.keys(content['application/json']?.examples ?? {}),
    ),
  ) as Set<AnyErrorCode>;
  expectWithinContract(answer, codes);
  const contentType = String(answer.headers['content-type']);
  const problem = check.problemOf(method, template, {
    status: answer.status,
    contentType,
    json: answer.json,
  });
  if (problem) throw new Error(`${problem}: ${answer.text.slice(0, 300)}`);
  const isDashboard = template.startsWith('/api/');
  if (isDashboard && answer.headers['x-content-type-options'] !== 'nosniff')
    throw new Error('X-Content-Type-Options is missing');
}

// A login lasts 15 minutes, and a heavy run longer.
beforeEach(async () => {
  if (Date.now() - loggedInMs < LOGIN_FRESH_MS) return;
  loggedInMs = Date.now();
  customer = { ...customer, token: await newLogin(customer) };
});

test('the served API document matches the sources', async () => {
  const { json } = await caller.dashboard('GET', '/openapi.json', {});
  expect(json).toEqual({ ...check.document, paths: json.paths });
  expect(Object.keys(json.paths)).toEqual(Object.keys(check.document.paths));
});

test.each(OPERATIONS)(
  '$method $path answers mutated calls as documented',
  (operation) =>
    runFuzz(callsOf(operation), caseCount(CASES), async (call) => {
      const answer = await answerTo(operation.method, operation.path, call);
      if (answer.status === 200) reached.add(nameOf(operation));
      expectDocumented(operation.method, operation.path, answer);
    }),
  TIME_LIMIT_MS,
);

test('after all mutated calls every process is still running, nothing is held and the books balance', async () => {
  await caller.dashboard('POST', '/api/v1/admin/throttle', bearer(await system.operatorToken()), {
    requests_per_second: null,
  });
  await system.settled(customer, 60_000);
  // The few cases of a normal run do not reach every operation.
  const silent = OPERATIONS.map(nameOf).filter((name) => !reached.has(name));
  if (process.env.TEST_HEAVY === '1') expect(silent.sort()).toEqual([...BEYOND_REACH].sort());
  expect(await system.drift()).toBe(0);
  checkHealth();
}, 90_000);
