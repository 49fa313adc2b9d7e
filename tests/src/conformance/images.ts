import type { ErrorCode } from '@gateway/errors';
import { type FormPart, writeForm } from '../support/form';
import type { HttpAnswer } from '../support/http';
import { png } from '../support/pictures';
import type { Customer } from '../support/system';
import { bearer } from './caller';
import type { ConformanceCase, World } from './case';
import { expectResetsAt, NEXT_TO_NOTHING_USD, nextUtcDay, nextUtcMonth, setAccountLimit } from './money';

/** Image timeout of the gateway in these tests; shorter than `SLOW`. */
export const IMAGE_TIMEOUT_MS = 4_000;
const SLOW = { delay_ms: IMAGE_TIMEOUT_MS + 500 };

/** Price of an image of `sim/image` with default parameters. */
const IMAGE_USD = 0.04;
const PATHS = ['/v1/images', '/v1/images/generations'];
const FORM_PATHS = ['/v1/images', '/v1/images/edits'];

const sim = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;
const generation = (fields: object = {}) => ({ model: 'sim/image', prompt: 'A cat.', ...fields });

const generate = ({ caller }: World, apiKey: string, fields: object = {}, path = '/v1/images') =>
  caller.api('POST', path, bearer(apiKey), generation(fields));

function edit(
  { caller, customer }: World,
  parts: readonly FormPart[],
  path = '/v1/images/edits',
  apiKey = customer.apiKey,
): Promise<HttpAnswer> {
  const { contentType, body } = writeForm(parts);
  return caller.api('POST', path, { ...bearer(apiKey), 'content-type': contentType }, body);
}

const PICTURE = png('picture');
const FIELDS: readonly FormPart[] = [
  ['model', 'sim/image'],
  ['prompt', 'A hat.'],
];
const WHOLE: readonly FormPart[] = [...FIELDS, ['image', PICTURE]];

/** Returns a case for each generation path. */
const onEachPath = (
  code: ErrorCode,
  when: string,
  fields: object,
  particulars: Partial<ConformanceCase> = {},
): ConformanceCase[] =>
  PATHS.map((path) => ({
    code,
    when: `${when}, POST ${path}`,
    ...particulars,
    provoke: (world) => generate(world, world.customer.apiKey, fields, path),
  }));

const INVALID: readonly [string, object, RegExp][] = [
  ['n of 0', { n: 0 }, /\bn\b/],
  ['n a fraction', { n: 1.5 }, /\bn\b/],
  ['n a string', { n: '2' }, /\bn\b/],
  ['size a word', { size: 'large' }, /size/],
  ['size a number', { size: 1_024 }, /size/],
  ['output_format a number', { output_format: 5 }, /output_format/],
  ['quality a list', { quality: ['high'] }, /quality/],
  ['an unknown background', { background: 'red' }, /background/],
  ['an unknown response_format', { response_format: 'gif' }, /response_format/],
  ['output_compression above 100', { output_compression: 101 }, /output_compression/],
  ['a stream of links', { stream: true, response_format: 'url' }, /response_format/],
  ['partial images without a stream', { partial_images: 1 }, /partial_images/],
  ['prompt a list', { prompt: ['A cat.'] }, /prompt/],
  ['model a number', { model: 7 }, /model/],
  ['an unknown field', { colour: 'red' }, /colour/],
  ['an image URL to edit', { image: 'https://example.com/a.png' }, /image/],
  ['messages', { messages: [{ role: 'user', content: 'hi' }] }, /messages/],
];

const MALFORMED_MODELS: readonly [string, string | null | readonly []][] = [
  ['no provider prefix', 'gpt-image-2'],
  ['a trailing slash', 'openai/'],
  ['two slashes', 'sim/image/x'],
  ['a leading space', ' sim/image'],
  ['upper-case letters', 'Sim/Image'],
  ['a display name', 'Simulated images'],
  ['an empty model', ''],
  ['a null model', null],
  ['an empty list', []],
  ['auto', 'auto'],
];

const UNSUPPORTED: readonly [string, object, RegExp][] = [
  ['size', { size: '1000x1000' }, /size 1000x1000/],
  ['n', { n: 11 }, /\bn above 10/],
  ['format', { output_format: 'gif' }, /gif/],
  ['quality', { quality: 'ultra' }, /ultra/],
  ['style', { style: 'vivid' }, /style/],
  ['n for Gemini', { model: 'google/gemini-3.1-flash-image', n: 2 }, /\bn above 1/],
  ['size for FLUX', { model: 'bfl/flux-2-pro', size: '4096x4096' }, /4096x4096/],
];

const BODY_CASES: readonly ConformanceCase[] = [
  ...INVALID.flatMap(([when, fields, detail]) => onEachPath('invalid_request', when, fields, { detail })),
  ...PATHS.flatMap((path): ConformanceCase[] => [
    {
      code: 'invalid_request',
      when: `a body that is not JSON, POST ${path}`,
      provoke: ({ caller, customer }) => caller.api('POST', path, bearer(customer.apiKey), '{'),
    },
    {
      code: 'invalid_request',
      when: `no Content-Type, POST ${path}`,
      provoke: ({ caller, customer }) =>
        caller.api('POST', path, { ...bearer(customer.apiKey), 'content-type': undefined }, generation()),
    },
  ]),
  {
    code: 'invalid_request',
    when: 'JSON on the path of edits',
    provoke: (world) => generate(world, world.customer.apiKey, {}, '/v1/images/edits'),
  },
  {
    code: 'invalid_request',
    when: 'a form on the path of generations',
    provoke: (world) => edit(world, WHOLE, '/v1/images/generations'),
  },
];

const FORM_FAULTS: readonly [string, readonly FormPart[]][] = [
  ['no image', FIELDS],
  ['no model', [...WHOLE.slice(1)]],
  ['a misnamed model', [['modell', 'sim/image'], ...WHOLE.slice(1)]],
  ['no prompt', [WHOLE[0]!, WHOLE[2]!]],
  ['a misnamed prompt', [WHOLE[0]!, ['promt', 'A hat.'], WHOLE[2]!]],
  ['an empty prompt', [WHOLE[0]!, ['prompt', ''], WHOLE[2]!]],
  ['an image under an unknown name', [...FIELDS, ['picture', PICTURE]]],
  ['a file that is not an image', [...FIELDS, ['image', Buffer.from('no image')]]],
  ['an unknown field', [...WHOLE, ['colour', 'red']]],
  ['n of 0', [...WHOLE, ['n', '0']]],
  ['a stream of links', [...WHOLE, ['stream', 'true'], ['response_format', 'url']]],
  ['too many images', [...FIELDS, ...Array.from({ length: 17 }, (): FormPart => ['image[]', PICTURE])]],
  ['a mask that is not an image', [...WHOLE, ['mask', Buffer.from('no image')]]],
];

const FORM_CASES: readonly ConformanceCase[] = FORM_PATHS.flatMap((path): ConformanceCase[] => [
  ...FORM_FAULTS.map(
    ([when, parts]): ConformanceCase => ({
      code: 'invalid_request',
      when: `${when}, form to ${path}`,
      provoke: (world) => edit(world, parts, path),
    }),
  ),
  ...['gpt-image-2', ''].map(
    (model): ConformanceCase => ({
      code: 'invalid_model',
      when: `the model ${JSON.stringify(model)}, form to ${path}`,
      provoke: (world) => edit(world, [['model', model], ...WHOLE.slice(1)], path),
    }),
  ),
  {
    code: 'image_model_not_found',
    when: `a chat model, form to ${path}`,
    provoke: (world) => edit(world, [['model', 'sim/chat'], ...WHOLE.slice(1)], path),
  },
  {
    code: 'image_generation_failed',
    when: `an unsupported size, form to ${path}`,
    shouldRetry: 'false',
    detail: /size/,
    provoke: (world) => edit(world, [...WHOLE, ['size', '1000x1000']], path),
  },
  {
    code: 'image_generation_failed',
    when: `the provider fails, form to ${path}`,
    provoke: (world) =>
      edit(
        world,
        [
          ['model', 'sim/image'],
          ['prompt', sim({ status: 500 })],
          ['image', PICTURE],
        ],
        path,
      ),
  },
]);

const MODEL_CASES: readonly ConformanceCase[] = [
  ...MALFORMED_MODELS.flatMap(([when, model]) => onEachPath('invalid_model', when, { model })),
  ...onEachPath('model_not_found', 'never listed', { model: 'sim/never' }),
  ...onEachPath('model_not_found', 'longer than any', { model: `sim/${'x'.repeat(1_000)}` }),
  ...onEachPath('model_not_found', 'a model of an unknown provider', { model: 'nobody/image' }),
  ...onEachPath('image_model_not_found', 'a provider’s bare name', { model: 'openai' }),
  ...onEachPath('image_model_not_found', 'a bare name that no provider has', { model: 'nobody' }),
  ...onEachPath('image_model_not_found', 'a chat model', { model: 'sim/chat' }),
  ...onEachPath('image_model_not_found', 'a video model', { model: 'sim/video' }),
  ...onEachPath('image_model_not_found', 'delisted', { model: 'sim/delisted' }),
  ...onEachPath('image_model_not_found', 'disabled', { model: 'sim/disabled' }),
  {
    code: 'model_not_found',
    when: 'a model outside the allowlist, POST /v1/images',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ key: { allowed_models: ['sim/chat'] } });
      return generate(world, apiKey);
    },
  },
];

interface Cap {
  readonly code: ErrorCode;
  readonly resetsAt: (at: Date) => Date;
  provision(world: World, limitUsd: number): Promise<Customer>;
}

const CAPS: readonly Cap[] = [
  {
    code: 'key_daily_limit',
    resetsAt: nextUtcDay,
    provision: ({ system }, daily_limit) => system.provision({ key: { daily_limit } }),
  },
  {
    code: 'key_monthly_limit',
    resetsAt: nextUtcMonth,
    provision: ({ system }, monthly_limit) => system.provision({ key: { monthly_limit } }),
  },
  {
    code: 'account_daily_limit',
    resetsAt: nextUtcDay,
    async provision(world, limitUsd) {
      const customer = await world.system.provision();
      await setAccountLimit(world, customer, limitUsd);
      return customer;
    },
  },
];

async function mustPass(answer: HttpAnswer): Promise<void> {
  if (answer.status !== 200) throw new Error(`the first call: ${answer.text}`);
}

const MONEY_CASES: readonly ConformanceCase[] = [
  ...CAPS.map(
    ({ code, resetsAt, provision }): ConformanceCase => ({
      code,
      when: 'the next image does not fit, POST /v1/images',
      cap: { limit: 0.07, used: IMAGE_USD },
      async provoke(world) {
        const customer = await provision(world, 0.07);
        await mustPass(await generate(world, customer.apiKey));
        await world.system.settled(customer);
        const answer = await generate(world, customer.apiKey);
        expectResetsAt(answer, resetsAt);
        return answer;
      },
    }),
  ),
  {
    code: 'request_cost_limit',
    when: 'two images cost more than the cap, POST /v1/images',
    cap: { limit: 0.07, used: 2 * IMAGE_USD },
    async provoke(world) {
      const { apiKey } = await world.system.provision({ key: { request_cost_limit: 0.07 } });
      await mustPass(await generate(world, apiKey));
      return generate(world, apiKey, { n: 2 });
    },
  },
  {
    code: 'insufficient_balance',
    when: 'no top-up yet, POST /v1/images',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ balanceUsd: 0 });
      return generate(world, apiKey);
    },
  },
  {
    code: 'insufficient_balance',
    when: 'a balance below the price of an image, form to /v1/images/edits',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ balanceUsd: NEXT_TO_NOTHING_USD });
      return edit(world, WHOLE, '/v1/images/edits', apiKey);
    },
  },
  {
    code: 'rpm_rate_limited',
    when: 'the second request of a limit of one per minute, POST /v1/images',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ key: { rpm_limit: 1 } });
      await mustPass(await generate(world, apiKey));
      return generate(world, apiKey);
    },
  },
  {
    code: 'tpm_rate_limited',
    when: 'a prompt that never fits the TPM limit, POST /v1/images',
    retryAfter: 'never',
    shouldRetry: 'false',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ key: { tpm_limit: 100 } });
      return generate(world, apiKey, { model: 'openai/gpt-image-1.5', prompt: 'A cat. '.repeat(100) });
    },
  },
  {
    code: 'tpm_rate_limited',
    when: 'the TPM limit is used up by an image, POST /v1/images',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ key: { tpm_limit: 100 } });
      await mustPass(await generate(world, apiKey, { model: 'openai/gpt-image-1.5' }));
      return generate(world, apiKey, { model: 'openai/gpt-image-1.5' });
    },
  },
];

/** Different families, so that no target has many consecutive failures. */
const FAMILIES = ['openai/gpt-image-1.5', 'google/gemini-3.1-flash-image', 'bfl/flux-2-pro'];

const PROVIDER_FAULTS: readonly [ErrorCode, string, object, Partial<ConformanceCase>?][] = [
  ['image_generation_failed', 'an error', { status: 500 }],
  ['image_generation_failed', 'an overload', { status: 503 }],
  ['image_generation_failed', 'a reset', { reset: true }],
  ['image_generation_failed', 'a truncated reply', { drop_after_chunks: 0 }],
  [
    'image_generation_failed',
    'a failed task or a reply without an image',
    { images: 0, task_seconds: 0, task_status: 'failed' },
  ],
  [
    'image_generation_failed',
    'a policy refusal',
    { policy: true, task_seconds: 0 },
    { shouldRetry: 'false', detail: /./ },
  ],
  ['rate_limited', 'a 429', { status: 429, retry_after: 7 }, { retryAfter: 7 }],
  ['upstream_unavailable', 'a rejected credential of ours', { status: 401 }],
  [
    'invalid_request',
    'a rejected parameter',
    { status: 400, error: 'No such thing.' },
    { shouldRetry: 'false', detail: /./ },
  ],
];

const UPSTREAM_CASES: readonly ConformanceCase[] = [
  ...FAMILIES.flatMap((model) =>
    PROVIDER_FAULTS.map(
      ([code, when, directive, particulars]): ConformanceCase => ({
        code,
        when: `${when}, ${model}`,
        ...particulars,
        async provoke(world) {
          // Some refusals are charged.
          const { apiKey } = await world.system.provision();
          return generate(world, apiKey, { model, prompt: sim(directive) });
        },
      }),
    ),
  ),
  {
    code: 'image_generation_failed',
    when: 'a task without an id, bfl/flux-2-pro',
    provoke: (world) =>
      generate(world, world.customer.apiKey, {
        model: 'bfl/flux-2-pro',
        prompt: sim({ omit_task_id: true }),
      }),
  },
  {
    code: 'image_generation_timeout',
    when: 'the provider takes too long, POST /v1/images',
    shouldRetry: 'false',
    detail: /may still finish and be billed; .* the X-Request-Id of this response$/,
    async provoke(world) {
      const customer = await world.system.provision();
      const answer = await generate(world, customer.apiKey, { prompt: sim(SLOW) });
      // The order continues and is billed.
      const { balance } = await world.system.settled(customer, 5_000);
      if (balance !== 10 - IMAGE_USD) throw new Error(`the balance is ${balance}`);
      return answer;
    },
  },
];

const UNSUPPORTED_CASES: readonly ConformanceCase[] = [
  ...UNSUPPORTED.flatMap(([what, fields, detail]) =>
    onEachPath('image_generation_failed', `an unsupported ${what}`, fields, { shouldRetry: 'false', detail }),
  ),
  {
    code: 'image_generation_failed',
    when: 'an unsupported size without money',
    shouldRetry: 'false',
    async provoke(world) {
      const { apiKey } = await world.system.provision({ balanceUsd: 0 });
      return generate(world, apiKey, { size: '1000x1000' });
    },
  },
];

export const IMAGE_CASES: readonly ConformanceCase[] = [
  ...BODY_CASES,
  ...FORM_CASES,
  ...MODEL_CASES,
  ...UNSUPPORTED_CASES,
  ...MONEY_CASES,
  ...UPSTREAM_CASES,
];
