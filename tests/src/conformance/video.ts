import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyErrorCode } from '@gateway/errors';
import type { HttpAnswer } from '../support/http';
import { delistVideoModel, makeVideoModel } from '../support/make-video-model';
import type { Customer } from '../support/system';
import { bearer } from './caller';
import type { ConformanceCase, World } from './case';
import { expectResetsAt, nextUtcDay, nextUtcMonth, setAccountLimit } from './money';

const ACTIONS = ['create', 'status', 'result'] as const;
const POLLS = ['status', 'result'] as const;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** Price of five seconds at the standard tier. */
const COST_USD = 0.25;
const TOO_LITTLE_USD = 0.01;

const pathOf = (action: string, provider = 'sim') => `/v1/videos/${provider}/${action}`;
const sim = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;
const order = (fields: object = {}) => ({ model: 'sim/video', prompt: 'a cat', ...fields });

const post = ({ caller }: World, { apiKey }: Customer, action: string, body: unknown, provider?: string) =>
  caller.api('POST', pathOf(action, provider), bearer(apiKey), body);
const create = (world: World, fields: object, customer = world.customer, provider?: string) =>
  post(world, customer, 'create', order(fields), provider);

async function createForm(world: World, fill: (form: FormData) => void): Promise<HttpAnswer> {
  const form = new FormData();
  form.set('model', 'sim/video');
  form.set('prompt', 'a cat');
  fill(form);
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? undefined };
  const body = Buffer.from(await encoded.arrayBuffer());
  const sent = { ...bearer(world.customer.apiKey), ...headers, 'content-length': body.length };
  return world.caller.api('POST', pathOf('create'), sent, body);
}

async function taskOf(world: World, fields: object = {}, customer = world.customer): Promise<string> {
  const answer = await create(world, fields, customer);
  if (answer.status !== 200) throw new Error(`create: ${answer.text}`);
  return answer.json.task_id;
}

/** Polls until the response is not a running task. */
async function untilRefused(world: World, customer: Customer, action: string, task_id: string) {
  for (;;) {
    const answer = await post(world, customer, action, { task_id });
    if (answer.status !== 200 || answer.json.status === 'completed') return answer;
    await sleep(20);
  }
}

const refused = (
  code: AnyErrorCode,
  when: string,
  fields: object,
  more: Partial<ConformanceCase> = {},
  provider?: string,
): ConformanceCase => ({
  code,
  when: `${when}, POST ${pathOf('create')}`,
  provoke: (world) => create(world, fields, world.customer, provider),
  ...more,
});

const INVALID: readonly [string, object, RegExp][] = [
  ['prompt a number', { prompt: 7 }, /prompt/],
  ['model a number', { model: 7 }, /model/],
  ['tier a number', { tier: 7 }, /tier/],
  ['duration a string', { duration: '5' }, /duration/],
  ['duration zero', { duration: 0 }, /duration/],
  ['duration negative', { duration: -5 }, /duration/],
  ['resolution a word', { resolution: 'high' }, /resolution/],
  ['aspect_ratio without a colon', { aspect_ratio: '16x9' }, /aspect_ratio/],
  ['an unknown field', { n: 1 }, /\bn\b/],
  ['a reference image that is not a URL', { reference_images: ['hello'] }, /reference_images\[0\]/],
  [
    'a reference image by plain http',
    { reference_images: ['http://example.com/a.png'] },
    /reference_images\[0\]/,
  ],
];

const MISSING: readonly [string, string, object][] = [
  ['model absent', 'model', { model: undefined }],
  ['prompt absent', 'prompt', { prompt: undefined }],
  ['prompt null', 'prompt', { prompt: null }],
  ['prompt empty', 'prompt', { prompt: '' }],
];

const FORMS: readonly [string, RegExp, (form: FormData) => void][] = [
  ['no model', /model/, (form) => form.delete('model')],
  [
    'a misnamed model',
    /model/,
    (form) => {
      form.delete('model');
      form.set('modell', 'sim/video');
    },
  ],
  ['no prompt', /prompt/, (form) => form.delete('prompt')],
  [
    'a misnamed prompt',
    /prompt/,
    (form) => {
      form.delete('prompt');
      form.set('promt', 'a cat');
    },
  ],
  ['an empty prompt', /prompt/, (form) => form.set('prompt', '')],
  ['a misnamed file', /picture/, (form) => form.set('picture', new Blob([PNG]), 'a.png')],
  [
    'a file that is not an image',
    /image/,
    (form) => form.set('image', new Blob(['GIF89a, no more']), 'a.png'),
  ],
  ['an empty file', /image/, (form) => form.set('image', new Blob([]), 'a.png')],
  ['a file as a field', /image/, (form) => form.set('image', 'hello')],
  ['an unknown field', /seconds/, (form) => form.set('seconds', '5')],
  ['an invalid duration', /duration/, (form) => form.set('duration', 'five')],
  [
    'too many files',
    /too many/,
    (form) => {
      for (let i = 0; i < 17; i++) form.append('image', new Blob([PNG]), 'a.png');
    },
  ],
];

const UNSUPPORTED: readonly [string, object, RegExp][] = [
  ['an unsupported duration', { duration: 7 }, /duration/],
  ['an absurd duration', { duration: 1e15 }, /duration/],
  ['a fractional duration', { duration: 5.5 }, /duration/],
  ['another tier’s resolution', { resolution: '1080p' }, /resolution/],
  ['an unsupported aspect ratio', { aspect_ratio: '21:9' }, /aspect_ratio/],
  [
    'too many reference images',
    { reference_images: Array(3).fill('https://example.com/a.png') },
    /at most 2/,
  ],
  ['a prompt that is too long', { prompt: 'x'.repeat(3_000) }, /prompt/],
];

/** Behavior of the provider, by error code. */
const BY_PROVIDER: readonly [AnyErrorCode, string, object, Partial<ConformanceCase>?][] = [
  [
    'video_generation_failed',
    'refuses by policy',
    { policy: true },
    { shouldRetry: 'false', detail: /policy/ },
  ],
  [
    'video_generation_failed',
    'refuses a parameter',
    { status: 400, error: 'no cats' },
    { shouldRetry: 'false' },
  ],
  ['video_generation_failed', 'answers 500', { status: 500 }],
  ['video_generation_failed', 'answers 503', { status: 503 }],
  ['video_generation_failed', 'reports an error with status 200', { status: 200, error: 'no money' }],
  ['video_task_id_missing', 'names no task', { omit_task_id: true }],
  ['rate_limited', 'answers 429', { status: 429, retry_after: 7 }, { retryAfter: 7 }],
  ['upstream_unavailable', 'rejects our credential', { status: 401 }],
  ['upstream_failed', 'resets the connection', { reset: true }, { shouldRetry: 'false' }],
  ['upstream_failed', 'cuts off its reply', { drop_after_chunks: 0 }, { shouldRetry: 'false' }],
];

const BODY_CASES: readonly ConformanceCase[] = [
  ...INVALID.map(([when, fields, detail]) => refused('invalid_request', when, fields, { detail })),
  ...MISSING.map(([when, param, fields]) => refused('missing_parameter', when, fields, { param })),
  ...FORMS.map(
    ([when, detail, fill]): ConformanceCase => ({
      code: 'invalid_request',
      when: `a form with ${when}, POST ${pathOf('create')}`,
      detail,
      provoke: (world) => createForm(world, fill),
    }),
  ),
  {
    code: 'invalid_model',
    when: `a form with an empty model, POST ${pathOf('create')}`,
    provoke: (world) => createForm(world, (form) => form.set('model', '')),
  },
  ...ACTIONS.flatMap((action): ConformanceCase[] => [
    {
      code: 'invalid_request',
      when: `a truncated body, POST ${pathOf(action)}`,
      provoke: (world) => post(world, world.customer, action, '{"model":'),
    },
    {
      code: 'invalid_request',
      when: `Content-Type: text, POST ${pathOf(action)}`,
      provoke: ({ caller, customer }) =>
        caller.api(
          'POST',
          pathOf(action),
          { ...bearer(customer.apiKey), 'content-type': 'text/plain' },
          '{}',
        ),
    },
    {
      code: 'invalid_api_key',
      when: `no key, POST ${pathOf(action)}`,
      provoke: ({ caller }) => caller.api('POST', pathOf(action), {}, order()),
    },
    {
      code: 'expired_api_key',
      when: `an expired key, POST ${pathOf(action)}`,
      async provoke(world) {
        const expires_at = new Date(Date.now() + 500).toISOString();
        const customer = await world.system.provision({ key: { expires_at } });
        await sleep(600);
        return post(world, customer, action, order());
      },
    },
    {
      code: 'not_found',
      when: `GET ${pathOf(action)}`,
      provoke: ({ caller, customer }) => caller.api('GET', pathOf(action), bearer(customer.apiKey)),
    },
    {
      code: 'not_found',
      when: `PUT ${pathOf(action)}`,
      provoke: ({ caller, customer }) => caller.api('PUT', pathOf(action), bearer(customer.apiKey), order()),
    },
  ]),
  {
    code: 'invalid_request',
    when: `an Idempotency-Key that belongs to another order, POST ${pathOf('create')}`,
    detail: /Idempotency-Key/,
    async provoke({ caller, customer }) {
      const headers = { ...bearer(customer.apiKey), 'idempotency-key': `conformance-${process.pid}` };
      await caller.api('POST', pathOf('create'), headers, order());
      return caller.api('POST', pathOf('create'), headers, order({ duration: 10 }));
    },
  },
];

const MODEL_CASES: readonly ConformanceCase[] = [
  ...['video', 'sim', 'Sim/Video', ' sim/video', '', null, []].map((model) =>
    refused('invalid_model', `model ${JSON.stringify(model)}`, { model }),
  ),
  refused('model_not_found', 'never listed', { model: 'sim/never' }),
  refused('model_not_found', 'longer than any', { model: `sim/${'x'.repeat(1_000)}` }),
  {
    code: 'model_not_found',
    when: `a model outside the allowlist, POST ${pathOf('create')}`,
    async provoke(world) {
      return create(world, {}, await world.system.provision({ key: { allowed_models: ['sim/chat'] } }));
    },
  },
  refused('video_model_not_found', 'a chat model', { model: 'sim/chat' }),
  refused('video_model_not_found', 'an image model', { model: 'sim/image' }),
  refused('video_model_not_found', 'disabled, of another kind', { model: 'sim/disabled' }),
  refused('video_model_not_found', 'another provider’s path', {}, {}, 'kling'),
  refused('video_model_not_found', 'the path of an unknown provider', {}, {}, 'nobody'),
  {
    code: 'video_model_not_found',
    when: `a disabled model, POST ${pathOf('create')}`,
    async provoke(world) {
      const { system, customer } = world;
      return create(world, {
        model: await makeVideoModel(system, customer, 'video-off', { status: 'disabled' }),
      });
    },
  },
  {
    code: 'video_model_not_found',
    when: `a delisted model, POST ${pathOf('create')}`,
    async provoke(world) {
      const { system, customer } = world;
      const model = await makeVideoModel(system, customer, 'video-gone');
      await delistVideoModel(system, customer, model);
      return create(world, { model });
    },
  },
  {
    code: 'video_model_not_found',
    when: `an action outside the model’s workflow, POST ${pathOf('create')}`,
    async provoke(world) {
      const { system, customer } = world;
      const workflow = ['status', 'result'];
      return create(world, {
        model: await makeVideoModel(system, customer, 'video-no-create', { workflow }),
      });
    },
  },
  {
    code: 'video_model_not_found',
    when: `an action outside the model’s workflow, POST ${pathOf('result')}`,
    async provoke(world) {
      const { system, customer } = world;
      const workflow = ['create', 'status'];
      const model = await makeVideoModel(system, customer, 'video-no-result', { workflow });
      return post(world, customer, 'result', { task_id: await taskOf(world, { model }) });
    },
  },
  ...['PRO', 'Std', 'pro ', 'hd', ''].map((tier) =>
    refused('video_tier_not_found', `tier ${JSON.stringify(tier)}`, { tier }, { detail: /std, pro/ }),
  ),
  {
    code: 'video_tier_not_found',
    when: `no tier for a model without a default tier, POST ${pathOf('create')}`,
    detail: /required/,
    async provoke(world) {
      const { system, customer } = world;
      return create(world, {
        model: await makeVideoModel(system, customer, 'video-tiers', { defaultTier: null }),
      });
    },
  },
  ...UNSUPPORTED.map(([when, fields, detail]) =>
    refused('video_generation_failed', when, fields, { detail, shouldRetry: 'false' }),
  ),
  {
    code: 'upstream_unavailable',
    when: `the provider is unreachable, POST ${pathOf('create')}`,
    async provoke(world) {
      const { system, customer } = world;
      return create(world, {
        model: await makeVideoModel(system, customer, 'video-unreachable', { provider: 'sim-unreachable' }),
      });
    },
  },
  ...BY_PROVIDER.map(([code, when, directive, more]) =>
    refused(code, `the provider ${when}`, { prompt: sim(directive) }, more),
  ),
];

const CAPS: readonly [AnyErrorCode, (at: Date) => Date, (world: World) => Promise<Customer>][] = [
  ['key_daily_limit', nextUtcDay, ({ system }) => system.provision({ key: { daily_limit: TOO_LITTLE_USD } })],
  [
    'key_monthly_limit',
    nextUtcMonth,
    ({ system }) => system.provision({ key: { monthly_limit: TOO_LITTLE_USD } }),
  ],
  [
    'account_daily_limit',
    nextUtcDay,
    async (world) => {
      const customer = await world.system.provision();
      await setAccountLimit(world, customer, TOO_LITTLE_USD);
      return customer;
    },
  ],
];

const MONEY_CASES: readonly ConformanceCase[] = [
  {
    code: 'insufficient_balance',
    when: `nothing was ever paid in, POST ${pathOf('create')}`,
    provoke: async (world) => create(world, {}, await world.system.provision({ balanceUsd: 0 })),
  },
  {
    code: 'request_cost_limit',
    when: `the order costs more than the cap, POST ${pathOf('create')}`,
    cap: { limit: TOO_LITTLE_USD, used: COST_USD },
    detail: /0\.25 USD, more than .* 0\.01 USD/,
    provoke: async (world) =>
      create(world, {}, await world.system.provision({ key: { request_cost_limit: TOO_LITTLE_USD } })),
  },
  ...CAPS.map(
    ([code, resetsAt, provision]): ConformanceCase => ({
      code,
      when: `a cap too small for the order, POST ${pathOf('create')}`,
      cap: { limit: TOO_LITTLE_USD, used: 0 },
      shouldRetry: 'false',
      detail: /needs 0\.25 USD, which exceeds .* of 0\.01 USD/,
      async provoke(world) {
        const answer = await create(world, {}, await provision(world));
        expectResetsAt(answer, resetsAt);
        return answer;
      },
    }),
  ),
  {
    code: 'rpm_rate_limited',
    when: `the second request of a limit of one per minute, POST ${pathOf('create')}`,
    async provoke(world) {
      const customer = await world.system.provision({ key: { rpm_limit: 1 } });
      await taskOf(world, {}, customer);
      return create(world, {}, customer);
    },
  },
  ...POLLS.map(
    (action): ConformanceCase => ({
      code: 'rpm_rate_limited',
      when: `the order used the one request of the limit, POST ${pathOf(action)}`,
      async provoke(world) {
        const customer = await world.system.provision({ key: { rpm_limit: 1 } });
        return post(world, customer, action, { task_id: await taskOf(world, {}, customer) });
      },
    }),
  ),
];

const TASK_CASES: readonly ConformanceCase[] = POLLS.flatMap((action): ConformanceCase[] => [
  ...[{}, { task_id: null }, { task_id: '' }, { task_id: [] }].map(
    (body): ConformanceCase => ({
      code: 'missing_parameter',
      when: `${JSON.stringify(body)}, POST ${pathOf(action)}`,
      param: 'task_id',
      provoke: (world) => post(world, world.customer, action, body),
    }),
  ),
  ...[{ task_id: 7 }, { task_id: 'x', model: 'sim/video' }].map(
    (body): ConformanceCase => ({
      code: 'invalid_request',
      when: `${JSON.stringify(body)}, POST ${pathOf(action)}`,
      provoke: (world) => post(world, world.customer, action, body),
    }),
  ),
  {
    code: 'not_found',
    when: `an unknown task, POST ${pathOf(action)}`,
    provoke: (world) => post(world, world.customer, action, { task_id: 'task_none' }),
  },
  {
    code: 'not_found',
    when: `another account’s task, POST ${pathOf(action)}`,
    async provoke(world) {
      const task_id = await taskOf(world);
      return post(world, await world.system.provision(), action, { task_id });
    },
  },
  {
    code: 'model_not_found',
    when: `a task of a model outside the key’s allowlist, POST ${pathOf(action)}`,
    async provoke(world) {
      const customer = await world.system.provision();
      const task_id = await taskOf(world, {}, customer);
      const allowed_models = ['sim/chat'];
      const { key } = await world.system.dashboard.createKey(customer.token, 'chat', { allowed_models });
      return post(world, { ...customer, apiKey: key }, action, { task_id });
    },
  },
  {
    code: 'video_model_not_found',
    when: `a path of another provider, POST ${pathOf(action)}`,
    async provoke(world) {
      return post(world, world.customer, action, { task_id: await taskOf(world) }, 'kling');
    },
  },
  {
    code: 'video_billing_error',
    when: `the provider reports invalid seconds, POST ${pathOf(action)}`,
    async provoke(world) {
      const task_id = await taskOf(world, { prompt: sim({ task_seconds: 0, seconds: 0 }) });
      return untilRefused(world, world.customer, action, task_id);
    },
  },
  {
    code: 'request_cost_limit',
    when: `the video cost more than the cap, POST ${pathOf(action)}`,
    cap: { limit: 1, used: 3 },
    async provoke(world) {
      const customer = await world.system.provision({ key: { request_cost_limit: 1 } });
      const task_id = await taskOf(world, { prompt: sim({ task_seconds: 0, seconds: 60 }) }, customer);
      return untilRefused(world, customer, 'status', task_id).then(() =>
        post(world, customer, action, { task_id }),
      );
    },
  },
]);

const LIST_CASES: readonly ConformanceCase[] = [
  ...[
    ['limit=0', /limit/],
    ['limit=101', /limit/],
    ['limit=ten', /limit/],
    ['after=task_none', /after/],
    ['request_id=none', /request_id/],
    ['order=asc', /order/],
  ].map(
    ([query, detail]): ConformanceCase => ({
      code: 'invalid_request',
      when: `${query}, GET /v1/videos`,
      detail: detail as RegExp,
      provoke: ({ caller, customer }) => caller.api('GET', `/v1/videos?${query}`, bearer(customer.apiKey)),
    }),
  ),
  {
    code: 'not_found',
    when: 'POST /v1/videos',
    provoke: ({ caller, customer }) => caller.api('POST', '/v1/videos', bearer(customer.apiKey), order()),
  },
  {
    code: 'invalid_api_key',
    when: 'no key, GET /v1/videos',
    provoke: ({ caller }) => caller.api('GET', '/v1/videos', {}),
  },
  {
    code: 'rpm_rate_limited',
    when: 'the second request of a limit of one per minute, GET /v1/videos',
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ key: { rpm_limit: 1 } });
      const list = () => caller.api('GET', '/v1/videos', bearer(apiKey));
      await list();
      return list();
    },
  },
];

const LINK_CASES: readonly ConformanceCase[] = [
  {
    code: 'not_found',
    when: 'a URL with an invalid signature, GET /v1/videos/files/{token}',
    provoke: ({ caller }) => caller.api('GET', '/v1/videos/files/task_x.0.1.y', {}),
  },
];

/** Every error of video calls, under each of its conditions. */
export const VIDEO_CASES: readonly ConformanceCase[] = [
  ...BODY_CASES,
  ...MODEL_CASES,
  ...MONEY_CASES,
  ...TASK_CASES,
  ...LIST_CASES,
  ...LINK_CASES,
];
