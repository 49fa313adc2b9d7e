import type { ErrorCode } from '@gateway/errors';
import { until, wav } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer, type Caller, createCaller } from '../conformance/caller';

import { type FormPart, writeForm } from '../support/form';
import { png } from '../support/pictures';
import { type Customer, type System, startSystem } from '../support/system';
import { watchHealth } from '../support/watch-health';
import { mutatedJson, mutatedText } from './mutate';
import { caseCount, runFuzz } from './run-fuzz';
import { expectWithinContract } from './within-contract';

const TIME_LIMIT_MS = 2_000_000;

let system: System;
let customer: Customer;
let caller: Caller;
let checkHealth: () => void;

beforeAll(async () => {
  system = await startSystem({ autoRestart: false });
  customer = await system.provision({ balanceUsd: 1_000_000 });
  caller = createCaller(system);
  checkHealth = watchHealth(system);
}, 60_000);
afterAll(() => system?.stop(), 30_000);

/** Error codes that a request alone can cause. */
const REQUEST_CODES = new Set<ErrorCode>([
  'invalid_request',
  'invalid_model',
  'missing_parameter',
  'not_found',
  'model_not_found',
  'image_model_not_found',
  'video_model_not_found',
  'video_tier_not_found',
  'image_generation_failed',
  'video_generation_failed',
]);

const PICTURE = png('fuzz', 8, 8);
const DATA_URL = `data:image/png;base64,${PICTURE.toString('base64')}`;
const IMAGE = { model: 'sim/image', prompt: 'A hat.' };
const VIDEO = { model: 'sim/video', prompt: '[[sim {"task_seconds":0}]]' };
const SPEECH = { model: 'sim/speech', input: 'A hat.', voice: 'alloy' };
const TRANSCRIPTION = { model: 'sim/transcription' };
const SOUND = wav(0.01);
const TASK_ID = '0198a000-0000-7000-8000-000000000000';

const JSON_CALLS = [
  {
    path: '/v1/images',
    bodies: [
      IMAGE,
      {
        ...IMAGE,
        n: 2,
        size: '1024x1024',
        quality: 'low',
        output_format: 'png',
        response_format: 'b64_json',
      },
      {
        ...IMAGE,
        background: 'opaque',
        output_compression: 50,
        output_format: 'jpeg',
        moderation: 'auto',
        user: 'u',
      },
      { ...IMAGE, stream: true, partial_images: 2 },
    ],
  },
  {
    path: '/v1/videos/sim/create',
    bodies: [
      VIDEO,
      { ...VIDEO, tier: 'std', duration: 5, aspect_ratio: '16:9', resolution: '720p' },
      { ...VIDEO, reference_images: [DATA_URL, 'https://example.com/a.png'] },
    ],
  },
  {
    path: '/v1/audio/speech',
    bodies: [
      SPEECH,
      { ...SPEECH, response_format: 'wav', speed: 1.5, voice: { id: 'v' } },
      { ...SPEECH, model: 'sim/speech-tokens', instructions: 'Calm.', stream_format: 'sse' },
    ],
  },
  { path: '/v1/videos/sim/status', bodies: [{ task_id: TASK_ID }] },
  { path: '/v1/videos/sim/result', bodies: [{ task_id: TASK_ID }] },
];

const fieldsOf = (fields: object): FormPart[] => Object.entries(fields);
const FORM_CALLS: { path: string; forms: FormPart[][] }[] = [
  {
    path: '/v1/images/edits',
    forms: [
      [...fieldsOf(IMAGE), ['image', PICTURE]],
      [['image[]', PICTURE], ['image[]', PICTURE], ['mask', PICTURE], ...fieldsOf({ ...IMAGE, n: '1' })],
      [['image', PICTURE], ...fieldsOf({ ...IMAGE, stream: 'true', partial_images: '1' })],
    ],
  },
  {
    path: '/v1/audio/transcriptions',
    forms: [
      [...fieldsOf(TRANSCRIPTION), ['response_format', 'vtt'], ['file', SOUND]],
      [
        ['file', SOUND],
        ...fieldsOf({ model: 'sim/transcription-tokens', stream: 'true', temperature: '0.5' }),
        ['timestamp_granularities[]', 'word'],
        ['timestamp_granularities[]', 'segment'],
      ],
    ],
  },
  {
    path: '/v1/audio/translations',
    forms: [[...fieldsOf({ ...TRANSCRIPTION, prompt: 'A hat.' }), ['file', SOUND]]],
  },
  {
    path: '/v1/videos/sim/create',
    forms: [
      [...fieldsOf(VIDEO), ['tier', 'pro'], ['duration', '10'], ['reference_images', PICTURE]],
      [['image', PICTURE], ...fieldsOf(VIDEO)],
    ],
  },
];

describe.each(JSON_CALLS)('POST $path', ({ path, bodies }) => {
  const expectLawfulAnswer = async (body: string | Buffer) =>
    expectWithinContract(await caller.api('POST', path, bearer(customer.apiKey), body), REQUEST_CODES);

  test(
    'answers bodies with mutated values within the contract',
    () => runFuzz(mutatedJson(bodies), caseCount(6_000), expectLawfulAnswer),
    TIME_LIMIT_MS,
  );

  test(
    'answers bodies with mutated bytes within the contract',
    () =>
      runFuzz(mutatedText(bodies.map((body) => JSON.stringify(body))), caseCount(4_000), expectLawfulAnswer),
    TIME_LIMIT_MS,
  );
});

describe.each(FORM_CALLS)('POST $path', ({ path, forms }) => {
  const written = forms.map(writeForm);

  test(
    'answers forms with mutated bytes within the contract',
    async () => {
      const headers = { ...bearer(customer.apiKey), 'content-type': written[0]!.contentType };
      await runFuzz(mutatedText(written.map(({ body }) => body)), caseCount(9_000), async (body) =>
        expectWithinContract(await caller.api('POST', path, headers, body), REQUEST_CODES),
      );
    },
    TIME_LIMIT_MS,
  );
});

test('after all mutated requests every order is charged, nothing is held and every process is still running', async () => {
  await until(async () => (await system.bills()) === 0, 30_000);
  await system.settled(customer);
  expect(await system.drift()).toBe(0);
  expect(await system.metric('edge', 'edge_quota_used')).toBe(0);
  checkHealth();
});
