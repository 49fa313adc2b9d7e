import type { UsageEvent } from '@gateway/call-billing';
import type { HttpRequest } from '@gateway/http-client';
import type { LinkCall } from '@gateway/link';
import { memoryQuota, Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { CredentialLimiter, Failover, TargetHealth } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import type { EmbeddingRequest } from '../domain/embedding';
import type { Model } from '../domain/model';
import { MAX_REPLY_BYTES } from '../domain/reply-memory';
import { environmentAccounts, targetOf } from '../domain/route.fixture';
import { connectSimulator, KINDS } from '../providers/connect-provider';
import { answerWholeReply } from './answer-whole-reply';
import { embeddingCall } from './embedding-call';
import { MeteredChatCall } from './metered-chat-call';
import { ProviderClient } from './provider-client';
import type { AdmissionRequest, Admitted } from './reserve-call';
import { WholeReplyRunner } from './whole-reply-runner';

const WAIT_MS = 60_000;
const PRICE = { input: 2_000_000n, output: 0n };
const MODEL = {
  slug: 'sim/embedding',
  active: true,
  outputModalities: ['embedding'],
  contextLength: 100,
  strategy: 'weighted',
  fallbackModels: [],
  pricing: { version: 3n, base: PRICE, serviceTiers: new Map() },
};
const KEY = { accountId: 'a', keyId: 'k', valueId: 'v', allowedModels: [], previewModels: [] };
const CALL = { key: KEY, path: '/v1/embeddings', headers: {} } as unknown as LinkCall;
const TEXTS: EmbeddingRequest = {
  model: 'sim/embedding',
  inputs: { kind: 'texts', list: ['one', 'two'] },
  encoding: 'float',
};
const FLOATS =
  '{"data":[{"index":1,"embedding":[0.25]},{"index":0,"embedding":[1.50]}],"usage":{"prompt_tokens":9}}';
const BASE64 =
  '{"data":[{"index":0,"embedding":"AADAPw=="},{"index":1,"embedding":"AACAPg=="}],"usage":{"prompt_tokens":9}}';

type Answer = { readonly status?: number; readonly body: string } | (() => never);

interface Fixture {
  readonly answers: readonly Answer[];
  readonly request?: EmbeddingRequest;
  readonly model?: object;
  readonly signal?: AbortSignal;
}

/** Returns a client of providers that give these answers in this order. @param sent gets the requests */
function clientOf(answers: readonly Answer[], sent: HttpRequest[]): ProviderClient {
  return new ProviderClient({
    health: { recordReply: () => {} },
    upstream: {
      async send(one) {
        sent.push(one);
        const answer = answers[sent.length - 1]!;
        const { status = 200, body } = typeof answer === 'function' ? answer() : answer;
        return { status, headers: { 'x-request-id': 'req_7' }, body: inPieces(body) };
      },
    },
    timeouts: { connectMs: WAIT_MS, firstByteMs: WAIT_MS, idleMs: WAIT_MS },
    keepAliveMs: WAIT_MS,
  });
}

/** Returns a call with a hold of its bound. @param dispatched gets the input tokens in the journal */
function admitted(admission: AdmissionRequest, dispatched: number[], billed: UsageEvent[]): Admitted {
  const { model, provider, endpoint, streamed, price, priceVersion, bound } = admission;
  const journal = {
    dispatched: async (_call: unknown, inputTokens: number) => void dispatched.push(inputTokens),
    progress: () => {},
    final: async () => {},
  };
  const call = {
    ...{ requestId: 'r', accountId: 'a', keyId: 'k', model: model.slug, provider, endpoint, streamed },
    ...{ price, priceVersion, startedAtMs: 0, holdNano: bound.costNano },
  };
  return {
    metered: new MeteredChatCall(call, journal, (event) => billed.push(event)),
    rates: {},
    headers: { 'x-ratelimit': '1' },
    loweredMaxTokens: undefined,
    outputTokens: 0,
    rateReport: undefined,
  };
}

const CONNECTED = [
  connectSimulator({ id: 'first', baseUrl: 'http://first/v1', apiKey: 'k' }, new Quota({ limit: 1 })),
  KINDS.cohere({ id: 'second', baseUrl: 'http://second', apiKey: 'k' }),
];
const TARGETS = CONNECTED.map(({ id }, priority) => targetOf(id, { priority }));

/** Sends a call to a simulator `first` and, if that fails, to Cohere, `second`, which give these answers in this order. */
async function embed({ answers, request = TEXTS, model = {}, signal }: Fixture) {
  const sent: HttpRequest[] = [];
  const billed: UsageEvent[] = [];
  const asked: AdmissionRequest[] = [];
  const dispatched: number[] = [];
  const costs: bigint[] = [];
  const warned: object[] = [];
  const health = new TargetHealth(() => 0, WAIT_MS);
  const embeddingModel = { ...MODEL, targets: TARGETS, ...model } as unknown as Model;
  const answer = answerWholeReply({
    addressesOf: async () => [],
    health,
    models: { loaded: true, get: () => embeddingModel },
    providers: {
      loaded: true,
      accountsOf: environmentAccounts(new Map(CONNECTED.map((one) => [one.id, one]))),
    },
    admission: {
      async admit(_context, admission) {
        asked.push(admission);
        return admitted(admission, dispatched, billed);
      },
    },
    runner: new WholeReplyRunner({
      failover: new Failover({
        health,
        limiter: new CredentialLimiter(() => 0),
        metrics: { answered: () => {}, failed: () => {} },
      }),
      providerClient: clientOf(answers, sent),
      limiter: { addOutput: () => {}, addCost: (_route, nano) => costs.push(nano) },
      health,
      metrics: { clientDisconnected: () => {} },
      replyMemory: memoryQuota(2 * MAX_REPLY_BYTES, 0),
    }),
  });
  const context = {
    requestId: 'r',
    signal: signal ?? new AbortController().signal,
    log: { warn: (fields: object) => void warned.push(fields) },
  } as unknown as RequestContext;
  const outcome = await answer(context, CALL, embeddingCall(request)).then(
    ({ body, headers }) => ({ reply: JSON.parse(String(body)), headers, error: undefined }),
    (error) => ({ reply: undefined, headers: undefined, error }),
  );
  return { ...outcome, sent, billed, asked, dispatched, costs, warned };
}

async function* inPieces(text: string): AsyncGenerator<Buffer> {
  const half = Math.ceil(text.length / 2);
  yield Buffer.from(text.slice(0, half));
  yield Buffer.from(text.slice(half));
}

const settled = (inputTokens: number, more: object = {}) => ({
  outcome: 'USAGE_OUTCOME_SETTLED',
  costNano: String(inputTokens * 2),
  tokens: expect.objectContaining({ input: String(inputTokens), output: '0' }),
  ...more,
});

test("the log names the provider's id of an unreadable reply", async () => {
  const { error, warned } = await embed({ answers: [{ body: '{"data":[' }] });
  expect(error.code).toBe('upstream_failed');
  expect(warned).toEqual([
    expect.objectContaining({ err: expect.objectContaining({ providerRequestId: 'req_7' }) }),
  ]);
});

test('reserves the bytes of the inputs and two tokens for each, and charges the reported tokens', async () => {
  const { asked, billed, dispatched, reply, headers } = await embed({ answers: [{ body: FLOATS }] });
  expect(asked[0]).toMatchObject({
    bound: { inputTokens: 10, outputTokens: 0, costNano: 20n, floorCostNano: 20n },
    promptTokens: 2,
    endpoint: '/v1/embeddings',
    streamed: false,
  });
  expect(dispatched).toEqual([2]);
  expect(billed).toEqual([expect.objectContaining(settled(9, { usageSource: 'USAGE_SOURCE_PROVIDER' }))]);
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-ratelimit': '1' });
  expect(reply).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [1.5] },
      { object: 'embedding', index: 1, embedding: [0.25] },
    ],
    model: 'sim/embedding',
    usage: { prompt_tokens: 9, total_tokens: 9 },
  });
});

test.each(['float', 'base64'] as const)(
  'returns vectors as %s whatever the provider returned',
  async (encoding) => {
    const request = { ...TEXTS, encoding };
    const expected = encoding === 'float' ? [[1.5], [0.25]] : ['AADAPw==', 'AACAPg=='];
    for (const body of [FLOATS, BASE64]) {
      const { reply } = await embed({ answers: [{ body }], request });
      expect(reply.data.map(({ embedding }: { embedding: unknown }) => embedding)).toEqual(expected);
    }
  },
);

test.each([
  ['none', BASE64.replace('prompt_tokens', 'other')],
  ['zero', BASE64.replace('9}', '0,"total_tokens":0}')],
])('charges counted tokens if the provider reports %s', async (_, body) => {
  const { billed, reply } = await embed({ answers: [{ body }] });
  expect(billed).toEqual([expect.objectContaining(settled(2, { usageSource: 'USAGE_SOURCE_COUNTED' }))]);
  expect(reply.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
});

test("counts what the provider charges for its credential's daily cost limit", async () => {
  const cost = { input: 3_000_000n, output: 0n };
  const targets = TARGETS.map((target) => ({ ...target, cost }));
  expect((await embed({ answers: [{ body: FLOATS }], model: { targets } })).costs).toEqual([27n]);
});

test('goes on to the next target when one fails, in the format of that target', async () => {
  const body = '{"embeddings":{"float":[[1.5],[0.25]]},"meta":{"billed_units":{"input_tokens":4}}}';
  const { sent, billed, reply } = await embed({ answers: [{ status: 500, body: '{}' }, { body }] });
  expect(sent.map(({ url }) => String(url))).toEqual([
    'http://first/v1/embeddings',
    'http://second/v2/embed',
  ]);
  expect(billed).toEqual([expect.objectContaining(settled(4, { provider: 'second' }))]);
  expect(reply.data).toHaveLength(2);
});

test('skips a target that cannot carry the call', async () => {
  const inputs = { kind: 'texts', list: Array<string>(97).fill('x') } as const;
  const failure = { status: 500, body: '{}' };
  const { sent, error, billed } = await embed({ answers: [failure], request: { ...TEXTS, inputs } });
  expect(sent).toHaveLength(1);
  expect(error.code).toBe('upstream_failed');
  expect(billed).toEqual([expect.objectContaining({ outcome: 'USAGE_OUTCOME_RELEASED' })]);
});

test("passes on a provider's refusal without trying another target", async () => {
  const { sent, error } = await embed({
    answers: [{ status: 400, body: '{"error":{"message":"too long"}}' }],
  });
  expect(sent).toHaveLength(1);
  expect(error).toMatchObject({ code: 'invalid_request' });
});

test.each<[string, string]>([
  ['is cut', FLOATS.slice(0, -20)],
  ['has too few vectors', '{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":9}}'],
  ['has no vectors', '{"data":[{"embedding":null},{"embedding":[1]}]}'],
  ['has a malformed vector', FLOATS.replace('0.25', 'null,0.25').replace('[null', '[1,null')],
])('releases the hold when a reply %s', async (_what, body) => {
  const { error, billed } = await embed({ answers: [{ body }] });
  expect(error.code).toBe('upstream_failed');
  expect(billed).toEqual([expect.objectContaining({ outcome: 'USAGE_OUTCOME_RELEASED' })]);
});

test('an abandoned call is free, and its estimated input is an operator loss', async () => {
  const client = new AbortController();
  const breaks = () => {
    client.abort();
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  };
  const { billed } = await embed({ answers: [breaks], signal: client.signal });
  expect(billed).toEqual([
    expect.objectContaining({
      outcome: 'USAGE_OUTCOME_RELEASED',
      lossReason: 'LOSS_REASON_ABANDONED',
      lossNano: '4',
    }),
  ]);
});

describe('a reply that may exceed its maximum', () => {
  const ofInputs = (count: number, more: object = {}): EmbeddingRequest => ({
    ...TEXTS,
    inputs: { kind: 'texts', list: Array<string>(count).fill('x') },
    ...more,
  });

  test('is refused before the reservation', async () => {
    const { error, asked } = await embed({ answers: [], request: ofInputs(745) });
    expect(error).toMatchObject({
      code: 'invalid_request',
      detail: 'input: the reply is too large; send at most 744 inputs, or more with encoding_format base64',
    });
    expect(asked).toEqual([]);
  });

  test.each<[string, EmbeddingRequest]>([
    ['base64', ofInputs(2_048, { encoding: 'base64' })],
    ['fewer dimensions', ofInputs(2_048, { dimensions: 1_024 })],
  ])('is accepted with %s', async (_what, request) => {
    const { asked } = await embed({ answers: [], request });
    expect(asked).toHaveLength(1);
  });
});

test.each<[string, object, string]>([
  ['a chat model', { outputModalities: ['text'] }, 'model_not_found'],
  ['a disabled model', { active: false }, 'model_not_found'],
  ['a model without a configured provider', { targets: [targetOf('other')] }, 'upstream_unavailable'],
  ['a model without a price', { pricing: undefined }, 'internal_error'],
])('a call to %s is refused', async (_what, model, code) => {
  const { error, asked } = await embed({ answers: [], model });
  expect([error.code, asked]).toEqual([code, []]);
});
