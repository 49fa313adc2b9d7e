import { randomUUID } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { type LinkCall, type LinkReply, UNRECORDED } from '@gateway/link';
import { ModelNotAllowed } from '@gateway/models';
import { createLogger } from '@gateway/process';
import { Quota } from '@gateway/quota';
import { ClientDisconnected, type RequestContext } from '@gateway/rpc';
import {
  type CredentialInfo,
  CredentialLimiter,
  Failover,
  TargetHealth,
  UpstreamError,
} from '@gateway/upstream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { targetOf } from '../../../../packages/upstream/src/route.fixture';
import type { AdmissionRequest } from '../billing/admission';
import type { Charge } from '../billing/rules/bill-event';
import { MediaRefused } from '../domain/media-refused';
import type { Model } from '../domain/model';
import { uploadOf } from '../domain/upload.fixture';
import { IdempotentCalls } from '../idempotency/idempotent-calls';
import type { Claim, ClaimedCall } from '../idempotency/rules/idempotency';
import { ImageJobs } from '../images/image-jobs';
import { FEATURES } from '../images/rules/image-order.fixture';
import type { ImageOrder, ImageProvider, ImageResult, ProviderCall } from '../images/rules/image-provider';
import { JobLimiter } from '../images/rules/job-limiter';
import type { Form } from '../upload/form';
import { createImage } from './create-image';

const KEY = {
  keyId: 'k',
  accountId: 'a',
  allowedModels: [] as string[],
  previewModels: [] as string[],
  valueId: 'v',
  bareModelNames: false,
  hasTpmLimit: false,
  scopes: [],
  allowedIps: [],
  clientAddress: '',
  noFallbackModels: false,
  dropUnsupportedTools: false,
  detailedMessages: false,
  cell: '',
};
const target = (provider: string, priority: number) =>
  targetOf(provider, { upstreamModel: `${provider}-model`, priority });
const MODEL: Model = {
  slug: 'sim/image',
  active: true,
  preview: false,
  outputModalities: ['image'],
  workflow: [],
  targets: [target('first', 0), target('second', 1)],
  strategy: 'weighted',
  priceVersion: 3n,
  image: {
    features: FEATURES,
    pricing: {
      per_image: [],
      text_input: 1_000_000n,
      image_input: 1_000_000n,
      image_output: 1_000_000n,
    },
  },
};
const TOKENS = { textInput: 5, imageInput: 0, output: 1_056 };
const ONE: ImageResult = { images: [{ mime: 'image/png', base64: 'AAAA' }], tokens: TOKENS };
const UNREACHABLE = new UpstreamError({ kind: 'unreachable', cause: new Error('refused') });
const BROKEN = new UpstreamError({ kind: 'broken', cause: new Error('reset') });
const answered = (status: number, more = {}) => new UpstreamError({ kind: 'status', status, ...more });

type Does = (order: ImageOrder, call: ProviderCall) => Promise<ImageResult> | ImageResult;

/** The whole call without HTTP, SQL and billing. */
class Scene {
  /** Recorded steps, in order. */
  readonly steps: string[] = [];
  readonly charges: Charge[] = [];
  readonly admitted: AdmissionRequest[] = [];
  readonly orders: ImageOrder[] = [];
  does: Record<string, Does> = { first: () => ONE, second: () => ONE };
  refusal: GatewayError | undefined;
  form: Form | undefined;
  currentKey = KEY;
  maxJobs = 10;
  hasCatalog = true;
  databaseIsDown = false;
  billIsOurs = true;
  timeoutMs = 5_000;
  graceMs = 5_000;
  leave = new AbortController();

  readonly #provider = (id: string): ImageProvider => ({
    id,
    fetchesLinks: false,
    generate: async (order, call) => {
      this.steps.push(`order ${id}`);
      this.orders.push(order);
      return this.does[id]!(order, call);
    },
  });

  readonly #bill = {
    grant: {
      holdNano: 1n,
      requestCostLimitNano: undefined,
      ownContentOnly: false,
      rates: { requests: { limit: 9n, remaining: 8n, resetSeconds: 1 } },
    },
    headers: { 'x-ratelimit-remaining-requests': '8' },
    chargedNano: ({ costNano }: Charge) => costNano,
    dispatched: async (provider: string) => {
      if (this.databaseIsDown) throw Object.assign(new Error('away'), { code: 'ECONNRESET' });
      this.steps.push(`dispatched ${provider}`);
    },
    settle: async (charge: Charge, { errorCode }: { errorCode: string }) => {
      this.charges.push(charge);
      this.steps.push(`settle ${errorCode || 'answered'}`);
      return this.billIsOurs;
    },
    release: async ({ status, errorCode }: { status: number; errorCode: string }) =>
      void this.steps.push(`release ${errorCode || status}`),
    lose: async ({ errorCode }: { errorCode: string }) => void this.steps.push(`lost ${errorCode}`),
  };

  readonly #store = {
    claim: async () => this.claim,
    register: async ({ key, requestId }: ClaimedCall) => {
      this.steps.push(`register ${key === requestId ? 'its request id' : key}`);
      if (this.databaseIsDown) throw Object.assign(new Error('away'), { code: 'ECONNRESET' });
      return true;
    },
    isBusy: async () => this.claim.kind === 'busy',
    bodyOf: async () => {
      this.steps.push('load');
      return this.storedBody;
    },
    dispatched: async () => void this.steps.push('key dispatched') === undefined,
    answered: async () => void this.steps.push('key answered'),
    free: async () => void this.steps.push('key free'),
    lost: async () => void this.steps.push('key lost'),
  };
  claim: Claim = { kind: 'mine' };
  storedBody: Buffer | undefined;
  readonly replays = new Quota({ limit: 100, perHolder: 25 });

  readonly limiter = new CredentialLimiter(() => performance.now());
  /** Of each provider. */
  readonly credentials: Record<string, CredentialInfo[]> = {
    first: [{ id: '1', name: 'one', weight: 1 }],
    second: [{ id: '2', name: 'two', weight: 1 }],
  };
  readonly health = new TargetHealth(() => performance.now(), 10_000);
  jobs!: ImageJobs;
  #handler: ReturnType<typeof createImage> | undefined;

  handler() {
    const { health } = this;
    const metrics = { answered: () => {}, failed: () => {} };
    const timeouts = { connectMs: 1, firstByteMs: 1, idleMs: 1 };
    this.jobs = new ImageJobs({
      failover: new Failover({ health, limiter: this.limiter, metrics }),
      timeouts,
      timeoutMs: this.timeoutMs,
      graceMs: this.graceMs,
      limiter: new JobLimiter({ maxJobs: this.maxJobs, maxBytes: 400 * 1024 ** 2 }),
    });
    this.#handler ??= createImage({
      models: {
        get: (slug) => (slug === MODEL.slug ? MODEL : undefined),
        all: () => [MODEL],
        loaded: this.hasCatalog,
      },
      health,
      providers: {
        accountsOf: (id) =>
          this.credentials[id]?.map((credential) => ({ provider: this.#provider(id), credential })) ?? [],
      },
      keys: { current: async () => this.currentKey },
      forms: { read: async () => this.form! },
      admission: {
        admit: async (_context, request) => {
          this.admitted.push(request);
          if (this.refusal) throw this.refusal;
          this.steps.push('hold');
          return this.#bill as never;
        },
        admitFree: async () => {
          this.steps.push('free hold');
          return this.#bill.grant;
        },
        hasHold: () => this.steps.includes('hold'),
      },
      idempotent: new IdempotentCalls({
        store: this.#store as never,
        waitMs: 20,
        replays: this.replays,
        waiters: new Quota({ limit: 256, perHolder: 4 }),
      }),
      jobs: this.jobs,
    });
    return this.#handler;
  }

  send(fields: object = {}, more: Partial<LinkCall> = {}, requestId = randomUUID()) {
    const context: RequestContext = {
      requestId,
      signal: this.leave.signal,
      log: createLogger('test', 'silent'),
    };
    return this.handler()(context, {
      method: 'POST',
      path: '/v1/images',
      key: KEY,
      headers: { 'content-type': 'application/json', ...more.headers },
      body: Buffer.from(JSON.stringify({ model: 'sim/image', prompt: 'a cat', ...fields })),
      ...(more.key && { key: more.key }),
      ...(more.path && { path: more.path }),
    });
  }

  async fails(
    fields: object = {},
    more: Partial<LinkCall> = {},
    requestId = randomUUID(),
  ): Promise<GatewayError> {
    return this.send(fields, more, requestId).then(
      () => Promise.reject(new Error('it was answered')),
      (error: GatewayError) => error,
    );
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
async function bytesOf({ body }: LinkReply): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
const json = async (reply: LinkReply) => JSON.parse(String(await bytesOf(reply)));

describe('a successful order', () => {
  test('is held, dispatched, settled and answered in this order', async () => {
    const reply = await scene.send({ quality: 'high', n: 1 });
    expect(scene.steps).toEqual(['hold', 'dispatched first', 'order first', 'settle answered']);
    expect(scene.admitted[0]).toMatchObject({
      model: { slug: 'sim/image', priceVersion: 3n },
      provider: 'first',
    });
    expect(scene.orders[0]?.maxOutputTokens).toBe(4_160);
    expect(scene.admitted[0]?.boundNano).toBe(BigInt(5 + 256 + 4_160));
    expect(scene.charges).toEqual([
      { costNano: 1_061n, images: 1, tokens: { input: 5, output: 1_056 }, source: 'provider' },
    ]);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'x-ratelimit-remaining-requests': '8',
    });
    expect(await json(reply)).toEqual({
      created: expect.any(Number),
      data: [{ b64_json: 'AAAA' }],
      output_format: 'png',
      quality: 'high',
      size: '1024x1024',
      usage: {
        input_tokens: 5,
        input_tokens_details: { image_tokens: 0, text_tokens: 5 },
        output_tokens: 1_056,
        output_tokens_details: { image_tokens: 1_056, text_tokens: 0 },
        total_tokens: 1_061,
      },
    });
  });

  test('returns URLs if the client requests them', async () => {
    const asked = { response_format: 'url' };
    expect((await json(await scene.send(asked))).data).toEqual([{ url: 'data:image/png;base64,AAAA' }]);
    scene.does.first = () => ({ images: [{ mime: 'image/png', url: 'https://x.example.com/a' }] });
    expect((await json(await scene.send(asked))).data).toEqual([{ url: 'https://x.example.com/a' }]);
    expect(scene.orders.map(({ acceptsLinks }) => acceptsLinks)).toEqual([true, true]);
  });

  test('is charged the maximum for its images if the provider reports no tokens', async () => {
    scene.does.first = () => ({ images: ONE.images });
    await scene.send({ n: 2 });
    expect(scene.charges).toEqual([{ costNano: BigInt(5 + 256 + 1_056), images: 1, source: 'counted' }]);
  });

  test('is charged the maximum for its images if the provider reports only prompt tokens', async () => {
    scene.does.first = () => ({ ...ONE, tokens: { textInput: 9, imageInput: 0, output: 0 } });
    const reply = await scene.send();
    expect(scene.charges).toEqual([{ costNano: BigInt(5 + 256 + 1_056), images: 1, source: 'counted' }]);
    expect(await json(reply)).not.toHaveProperty('usage');
  });

  test('deletes the files of an edit', async () => {
    let closed = 0;
    const close = async () => void closed++;
    const uploads = [uploadOf('image', 'a')];
    scene.form = {
      fields: new Map([
        ['model', 'sim/image'],
        ['prompt', 'x'],
      ]),
      lists: new Map(),
      uploads,
      digest: 'd',
      close,
    };
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    scene.does.first = async (order) => {
      expect([order.images, closed]).toEqual([uploads, 0]);
      return ONE;
    };
    await scene.send({}, { headers, path: '/v1/images/edits' });
    expect(closed).toBe(1);
    scene.refusal = new GatewayError('insufficient_balance');
    await scene.fails({}, { headers });
    expect(closed).toBe(2);
    scene.form = { fields: new Map(), lists: new Map(), uploads: [], digest: 'd', close };
    await scene.fails({}, { headers });
    expect(closed).toBe(3);
  });
});

describe('before a hold is reserved', () => {
  test.each([
    ['invalid_request', { n: 0 }],
    ['missing_parameter', { prompt: '' }],
    ['invalid_model', { model: 'gpt-2' }],
    ['image_model_not_found', { model: 'sim' }],
    ['model_not_found', { model: 'sim/other' }],
    ['image_generation_failed', { n: 11 }],
    ['image_generation_failed', { size: '1000x1000' }],
  ])('%s rejects %j', async (code, fields) => {
    expect((await scene.fails(fields)).code).toBe(code);
    expect(scene.steps).toEqual([]);
  });

  test.each([
    ['text/plain', '/v1/images'],
    ['application/json', '/v1/images/edits'],
    ['multipart/form-data; boundary=b', '/v1/images/generations'],
    ['', '/v1/images'],
  ])('invalid_request rejects content type %p on %s', async (type, path) => {
    expect(await scene.fails({}, { headers: { 'content-type': type }, path })).toMatchObject({
      code: 'invalid_request',
    });
  });

  test('invalid_request rejects a body above the limit', async () => {
    expect(await scene.fails({ user: 'x'.repeat(1_100_000) })).toMatchObject({ code: 'invalid_request' });
  });

  test('the current key decides, not an outdated cached key', async () => {
    const key = { ...KEY, allowedModels: ['sim/chat'] };
    expect((await scene.send({}, { key })).status).toBe(200);
    scene.currentKey = key;
    const error = await scene.fails({}, { key });
    expect(error.code).toBe('model_not_found');
    // ModelNotAllowed would restart the call, whose body is already consumed.
    expect(error).not.toBeInstanceOf(ModelNotAllowed);
  });

  test('rate_limited rejects orders above the number of jobs, including jobs that are about to start', async () => {
    scene.maxJobs = 1;
    const first = scene.send();
    expect(await scene.fails()).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    expect((await first).status).toBe(200);
    scene.refusal = new GatewayError('insufficient_balance');
    await scene.fails();
    scene.refusal = undefined;
    expect((await scene.send()).status).toBe(200);
  });

  test("rate_limited rejects orders above the account's memory while its replies are not read", async () => {
    // The account's memory is 100 MB, with 2 MB per image.
    const unread = await Promise.all(Array.from({ length: 5 }, () => scene.send({ n: 10 })));
    expect(await scene.fails()).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    expect((await scene.send({}, { key: { ...KEY, accountId: 'b' } })).status).toBe(200);
    await bytesOf(unread[0]!);
    expect((await scene.send()).status).toBe(200);
    scene.does.first = () => Promise.reject(answered(400));
    for (let at = 0; at < 10; at++) {
      expect((await scene.fails({ n: 9 })).code).toBe('invalid_request');
    }
  });

  test('internal_error rejects every order while the catalog is not loaded', async () => {
    scene.hasCatalog = false;
    for (const model of ['sim/image', 'sim/other', 'sim']) {
      expect((await scene.fails({ model })).code).toBe('internal_error');
    }
    expect(scene.steps).toEqual([]);
  });

  test("billing's refusal is returned", async () => {
    scene.refusal = new GatewayError('insufficient_balance');
    expect((await scene.fails()).code).toBe('insufficient_balance');
    expect(scene.steps).toEqual([]);
  });
});

describe('a failed order', () => {
  test.each<[string, unknown, string, string, boolean | undefined]>([
    [
      'with an unreachable provider is upstream_unavailable',
      UNREACHABLE,
      'upstream_unavailable',
      'release',
      false,
    ],
    [
      'with a connection reset is image_generation_failed',
      BROKEN,
      'image_generation_failed',
      'lost',
      undefined,
    ],
    [
      'that was not sent is released',
      Object.assign(new UpstreamError({ kind: 'broken', cause: 0 }), { mayHaveArrived: false }),
      'image_generation_failed',
      'release',
      undefined,
    ],
    [
      'with status 500 is image_generation_failed',
      answered(500),
      'image_generation_failed',
      'release',
      undefined,
    ],
    [
      'with status 400 is invalid_request',
      answered(400, { message: 'Bad.' }),
      'invalid_request',
      'release',
      false,
    ],
    ['with status 401 is upstream_unavailable', answered(401), 'upstream_unavailable', 'release', false],
    [
      'with status 429 is rate_limited',
      answered(429, { retryAfterSeconds: 7 }),
      'rate_limited',
      'release',
      undefined,
    ],
    [
      'with a policy refusal is image_generation_failed',
      new MediaRefused('no'),
      'image_generation_failed',
      'release',
      false,
    ],
    [
      'with a policy refusal that the provider charges is settled',
      new MediaRefused('no', { textInput: 9, imageInput: 0, output: 0 }),
      'image_generation_failed',
      'settle',
      false,
    ],
    ['with an internal error is lost', new TypeError('x'), 'image_generation_failed', 'lost', undefined],
  ])('%s', async (_how, thrown, code, end, shouldRetry) => {
    scene.does = { first: () => Promise.reject(thrown), second: () => Promise.reject(thrown) };
    const error = await scene.fails();
    expect([error.code, error.shouldRetry]).toEqual([code, shouldRetry]);
    expect(error.rates).toEqual({ requests: { limit: 9n, remaining: 8n, resetSeconds: 1 } });
    expect(scene.steps.at(-1)).toBe(`${end} ${code}`);
    if (end === 'settle') expect(scene.charges).toEqual([{ costNano: 9n, tokens: { input: 9, output: 0 } }]);
  });

  test('without an image costs the price of its prompt', async () => {
    scene.does.first = () => ({ images: [], tokens: { textInput: 7, imageInput: 0, output: 0 } });
    expect((await scene.fails()).code).toBe('image_generation_failed');
    expect(scene.steps.at(-1)).toBe('settle image_generation_failed');
    scene.does.first = () => ({ images: [] });
    await scene.fails();
    expect(scene.steps.at(-1)).toBe('release image_generation_failed');
  });
});

describe('another credential', () => {
  const twoCredentials = (first: Partial<CredentialInfo>) => {
    scene.credentials.first = [
      { id: '1', name: 'one', weight: 1, ...first },
      { id: '3', name: 'three', weight: 0 },
    ];
  };

  test('gets the order if the first one is out of its own limit', async () => {
    twoCredentials({ limits: { requestsPerMinute: 1 } });
    for (const _call of [1, 2, 3]) expect((await scene.send()).status).toBe(200);
    const used = scene.health.credentialReports().map(({ name, calls }) => [name, calls]);
    expect(used).toEqual([
      ['one', 1],
      ['three', 2],
    ]);
  });

  test('gets the order if the provider rejects the first one', async () => {
    twoCredentials({});
    scene.does.first = () => {
      if (scene.orders.length === 1) throw answered(401);
      return ONE;
    };
    expect((await scene.send()).status).toBe(200);
    expect(scene.steps.filter((step) => step.startsWith('order'))).toEqual(['order first', 'order first']);
  });

  test('is missing: an order beyond the limits of all credentials is rate_limited and costs nothing', async () => {
    const limits = { requestsPerMinute: 1 };
    scene.credentials.first = [{ id: '1', name: 'one', weight: 1, limits }];
    scene.credentials.second = [];
    expect((await scene.send()).status).toBe(200);
    const { code, retryAfterSeconds } = await scene.fails();
    expect(code).toBe('rate_limited');
    expect(retryAfterSeconds).toBeGreaterThan(1);
    expect(scene.steps.at(-1)).toBe('release rate_limited');
  });
});

describe('another target', () => {
  test.each<[string, unknown]>([
    ['unreachable', UNREACHABLE],
    ['429', answered(429)],
    ['rejected credential', answered(401)],
  ])('gets the order if the first target certainly did not start it: %s', async (_why, thrown) => {
    scene.does.first = () => Promise.reject(thrown);
    expect((await scene.send()).status).toBe(200);
    expect(scene.steps).toEqual([
      'hold',
      'dispatched first',
      'order first',
      'dispatched second',
      'order second',
      'settle answered',
    ]);
    expect(scene.orders.map(({ upstreamModel }) => upstreamModel)).toEqual(['first-model', 'second-model']);
  });

  test.each<[string, unknown]>([
    ['reset', BROKEN],
    ['500', answered(500)],
    ['503', answered(503)],
    ['400', answered(400)],
    ['policy refusal', new MediaRefused('no')],
  ])('does not get an order that may have started or would be rejected again: %s', async (_why, thrown) => {
    scene.does.first = () => Promise.reject(thrown);
    await scene.fails();
    expect(scene.orders).toHaveLength(1);
  });

  test('is not called while its circuit is open', async () => {
    scene.does = { first: () => Promise.reject(UNREACHABLE), second: () => Promise.reject(UNREACHABLE) };
    for (let i = 0; i < 5; i++) await scene.fails();
    scene.orders.length = 0;
    expect((await scene.fails()).code).toBe('upstream_unavailable');
    expect(scene.orders).toEqual([]);
    expect(scene.steps.at(-1)).toBe('release upstream_unavailable');
  });
});

describe('an order that exceeds the image timeout', () => {
  test("continues and is settled by the provider's reply", async () => {
    scene.timeoutMs = 20;
    let finish!: (result: ImageResult) => void;
    scene.does.first = () => new Promise((resolve) => (finish = resolve));
    expect(await scene.fails()).toMatchObject({ code: 'image_generation_timeout', shouldRetry: false });
    expect(scene.steps.slice(-2)).toEqual(['order first', 'register its request id']);
    finish(ONE);
    await scene.jobs.idle();
    // The usage record has the error that the client received.
    expect(scene.steps.slice(-2)).toEqual(['settle image_generation_timeout', 'key answered']);
    expect(scene.charges).toMatchObject([{ images: 1, source: 'provider' }]);
  });

  test('is lost if the provider does not reply within the grace period', async () => {
    scene.timeoutMs = 10;
    scene.graceMs = 10;
    scene.does.first = (_order, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(BROKEN)));
    await scene.fails({}, { headers: { 'content-type': 'application/json', 'idempotency-key': 'k' } });
    await scene.jobs.idle();
    expect(scene.steps.slice(-2)).toEqual(['lost image_generation_timeout', 'key lost']);
  });
});

describe('the timeout response', () => {
  const untilAborted: Does = (_order, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(BROKEN)));
  beforeEach(() => {
    scene.timeoutMs = 10;
    scene.graceMs = 50;
    scene.does.first = untilAborted;
  });

  test('without an Idempotency-Key says to repeat the request with the request id as key', async () => {
    const requestId = randomUUID();
    const { detail } = await scene.fails({}, {}, requestId);
    expect(detail).toBe(
      'the job may still finish and be billed; to get the image without paying twice, repeat the same request with ' +
        `the Idempotency-Key ${requestId}, the X-Request-Id of this response`,
    );
    await scene.jobs.idle();
    expect(scene.steps.at(-1)).toBe('key lost');
  });

  test('with an Idempotency-Key says to repeat the request with it', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const { detail } = await scene.fails({}, { headers });
    expect(detail).toMatch(/^the job may still finish and be billed; .* with the same Idempotency-Key$/);
    expect(scene.steps.at(-1)).toBe('order first');
  });

  test('does not promise a safe repeat if the key cannot be stored', async () => {
    scene.does.first = (order, call) => {
      scene.databaseIsDown = true;
      return untilAborted(order, call);
    };
    const { detail } = await scene.fails();
    expect(detail).toMatch(/^the job may still finish and be billed; it can't be repeated safely/);
    await scene.jobs.idle();
    // The row may have been stored despite the error.
    expect(scene.steps.at(-1)).toBe('key lost');
  });

  test('allows a repeat as a new call if the job fails without cost', async () => {
    let fail!: (error: Error) => void;
    scene.does.first = () => new Promise((_resolve, reject) => (fail = reject));
    await scene.fails();
    fail(answered(500));
    await scene.jobs.idle();
    expect(scene.steps.slice(-2)).toEqual(['release image_generation_timeout', 'key free']);
  });

  test("of a job that continues stores image bytes instead of the provider's temporary URL", async () => {
    const isKept: (boolean | undefined)[] = [];
    scene.does.first = (order, call) => {
      isKept.push(call.isResponseStored?.());
      call.signal.addEventListener('abort', () => isKept.push(call.isResponseStored?.()));
      return untilAborted(order, call);
    };
    await scene.fails({ response_format: 'url' });
    await scene.jobs.idle();
    expect(isKept).toEqual([false, true]);
  });
});

test('a call without a key that ends in time stores no response', async () => {
  await scene.send();
  expect(scene.steps.filter((step) => /key|register/.test(step))).toEqual([]);
});

test('a job that ends while its request id becomes a key is found by that key', async () => {
  scene.timeoutMs = 10;
  // Files are deleted after the end is recorded; the timeout fires in between.
  let finish!: () => void;
  const freed = new Promise<void>((resolve) => (finish = resolve));
  scene.form = {
    fields: new Map([
      ['model', 'sim/image'],
      ['prompt', 'a hat'],
    ]),
    lists: new Map(),
    uploads: [uploadOf('image', 'png')],
    digest: 'd',
    close: () => freed,
  };
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  await scene.fails({}, { headers });
  expect(scene.steps.slice(-3)).toEqual(['settle answered', 'register its request id', 'key answered']);
  finish();
  await scene.jobs.idle();
});

describe('a client that disconnects', () => {
  test('before the order is sent gets its hold released', async () => {
    scene.leave.abort();
    await expect(scene.send()).rejects.toBeInstanceOf(ClientDisconnected);
    expect(scene.steps).toEqual(['hold', 'release 499']);
  });

  test('after the order is sent does not stop it', async () => {
    scene.does.first = async (_order, { signal }) => {
      scene.leave.abort();
      expect(signal.aborted).toBe(false);
      return ONE;
    };
    await scene.send();
    expect(scene.steps.at(-1)).toBe('settle answered');
  });
});

describe('a call with an Idempotency-Key', () => {
  function answeredWith(bodyBytes?: number): Claim {
    const answer = {
      status: 200,
      headers: {},
      requestId: 'r',
      ...(bodyBytes !== undefined && { bodyBytes }),
    };
    return { kind: 'answered', answer };
  }
  const keyed = { headers: { 'content-type': 'application/json', 'idempotency-key': 'a key' } };

  test('stores its progress and its response', async () => {
    await scene.send({}, keyed);
    expect(scene.steps).toEqual([
      'hold',
      'key dispatched',
      'dispatched first',
      'order first',
      'settle answered',
      'key answered',
    ]);
  });

  test('frees the key if it fails, even before anything started', async () => {
    scene.does.first = () => Promise.reject(answered(500));
    await scene.fails({}, keyed);
    expect(scene.steps.at(-1)).toBe('key free');
    scene.refusal = new GatewayError('insufficient_balance');
    scene.steps.length = 0;
    await scene.fails({}, keyed);
    expect(scene.steps).toEqual(['key free']);
  });

  test('costs nothing and frees the key if its start cannot be stored', async () => {
    scene.databaseIsDown = true;
    expect((await scene.fails({}, keyed)).code).toBe('internal_error');
    expect(scene.steps).toEqual(['hold', 'key dispatched', 'release internal_error', 'key free']);
  });

  test('returns no images if another instance has ended its bill', async () => {
    scene.billIsOurs = false;
    expect((await scene.fails({}, keyed)).code).toBe('internal_error');
    expect(scene.steps.slice(-2)).toEqual(['settle answered', 'key lost']);
  });

  test("stores image bytes instead of the provider's temporary URL", async () => {
    await scene.send({ response_format: 'url' }, keyed);
    await scene.send({ response_format: 'url' });
    expect(scene.orders.map(({ acceptsLinks }) => acceptsLinks)).toEqual([false, true]);
  });

  test('whose images cannot be serialized costs nothing', async () => {
    const image = {
      mime: 'image/png',
      get base64(): string {
        throw new RangeError('out of memory');
      },
    };
    scene.does.first = () => ({ images: [image] });
    expect((await scene.fails({}, keyed)).code).toBe('internal_error');
    expect(scene.steps.slice(-2)).toEqual(['key lost', 'lost internal_error']);
  });

  test('that was answered returns its stored response free of charge', async () => {
    scene.storedBody = Buffer.from('{"data":[]}');
    scene.claim = answeredWith(scene.storedBody.length);
    const reply = await scene.send({}, keyed);
    expect(reply.status).toBe(200);
    expect(reply.headers).toHaveProperty(UNRECORDED);
    expect(scene.steps).toEqual(['free hold', 'load']);
    expect(scene.replays.used).toBe(11);
    expect(await bytesOf(reply)).toEqual(scene.storedBody);
    expect(scene.replays.used).toBe(0);
  });

  test('returns its stored response even after its model was removed or changed', async () => {
    scene.storedBody = Buffer.from('{}');
    scene.claim = answeredWith(scene.storedBody.length);
    for (const fields of [{ model: 'sim/delisted' }, { n: 100 }, { size: '10x10' }]) {
      expect((await scene.send(fields, keyed)).status).toBe(200);
    }
    // Permissions of the key still apply.
    const key = { ...KEY, allowedModels: ['sim/chat'] };
    expect((await scene.send({}, { ...keyed, key })).status).toBe(200);
    scene.currentKey = key;
    expect((await scene.fails({}, { ...keyed, key })).code).toBe('model_not_found');
  });

  test('frees the key if the model cannot fulfil the request', async () => {
    expect((await scene.fails({ size: '10x10' }, keyed)).code).toBe('image_generation_failed');
    expect(scene.steps).toEqual(['key free']);
  });

  test('is rate_limited while too many stored responses are being sent', async () => {
    scene.claim = answeredWith(26);
    expect(await scene.fails({}, keyed)).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    expect(scene.steps).toEqual(['free hold']);
  });

  test('whose stored response was just evicted uses no replay memory', async () => {
    scene.claim = answeredWith(5);
    expect((await scene.fails({}, keyed)).code).toBe('invalid_request');
    expect(scene.replays.used).toBe(0);
  });

  test.each([
    ['whose response is no longer stored is rejected', answeredWith(), 'invalid_request', /no longer stored/],
    ['of another request is rejected', { kind: 'other' }, 'invalid_request', /another request/],
    [
      'with an unknown outcome is image_generation_timeout',
      { kind: 'unknown' },
      'image_generation_timeout',
      /not billed; .* use another/,
    ],
    [
      'that runs for too long is image_generation_timeout',
      { kind: 'busy' },
      'image_generation_timeout',
      /may still finish and be billed/,
    ],
  ] as const)('%s', async (_what, claim, code, detail) => {
    scene.claim = claim;
    expect(await scene.fails({}, keyed)).toMatchObject({ code, detail: expect.stringMatching(detail) });
    expect(scene.orders).toEqual([]);
  });

  test.each([[''], [' '], ['ü'], ['x'.repeat(256)]])('with the invalid key %p is rejected', async (key) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    expect((await scene.fails({}, { headers })).code).toBe('invalid_request');
  });
});
