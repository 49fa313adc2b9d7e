import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import { SessionPins, TargetHealth } from '@gateway/upstream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import { environmentAccounts, targetOf } from '../domain/route.fixture';
import { tokenizerCpuQuota } from '../domain/tokenizer-cpu-quota';
import { parseChatRequest } from '../formats/openai/chat-request';
import type { AdmittedCall } from './admitted-call';
import { answerChat } from './answer-chat';
import type { ChatRunner } from './chat-runner';
import type { Admission, AdmissionRequest } from './reserve-call';

/** Nano-USD per million tokens of input and output alike. */
const priced = (nano: bigint, version = 1n): NonNullable<Model['pricing']> => ({
  version,
  base: { input: nano, output: nano },
  serviceTiers: new Map(),
});

const modelOf = (slug: string, fields: Partial<Model> = {}): Model => ({
  slug,
  name: slug,
  active: true,
  preview: false,
  outputModalities: ['text'],
  capabilities: new Set(),
  hidesReasoning: false,
  contextLength: 100_000,
  maxOutputTokens: 1_000,
  outputFloorTokens: 1,
  maxImageTokens: 0,
  targets: [targetOf(slug.split('/')[0]!)],
  strategy: 'weighted',
  fallbackModels: [],
  pricing: priced(1_000_000n),
  createdAtMs: 0,
  ...fields,
});

let models: Map<string, Model>;
/** Providers that are not configured. */
let absent: string[];
/** Nano-USD that billing grants at most. */
let fundsNano: bigint;
let asked: AdmissionRequest[];
/** Refusals of billing before it grants what the funds suffice for. */
let refusals: GatewayError[];
let admitsAbandoned: boolean;
let sent: AdmittedCall | undefined;
beforeEach(() => {
  models = new Map();
  absent = [];
  fundsNano = 10n ** 12n;
  asked = [];
  refusals = [];
  admitsAbandoned = true;
  sent = undefined;
  define(modelOf('first/model', { fallbackModels: ['second/model', 'third/model'] }));
  define(modelOf('second/model', { pricing: priced(5_000_000n, 2n) }));
  define(modelOf('third/model', { pricing: priced(500_000n, 3n) }));
});

function define(model: Model): void {
  models.set(model.slug, model);
}

/** Grants what the funds suffice for, like billing. */
const admission = {
  async admit(_context: RequestContext, request: AdmissionRequest) {
    asked.push(request);
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    const { costNano, floorCostNano } = request.bound;
    if (floorCostNano > fundsNano) throw new GatewayError('insufficient_balance');
    const holdNano = costNano < fundsNano ? costNano : fundsNano;
    return {
      metered: { call: { holdNano } },
      loweredMaxTokens: undefined,
      headers: { 'x-gateway-max-tokens': '9' },
    };
  },
} as unknown as Admission;

async function call(
  key: Partial<LinkCall['key']> = {},
  headers: Record<string, string> = {},
  content = 'hi',
): Promise<AdmittedCall> {
  const providers = ['first', 'second', 'third']
    .filter((id) => !absent.includes(id))
    .map(
      (id) =>
        [
          id,
          { id, wire: 'openai', encoding: 'o200k', maxTokensField: 'max_tokens' } as unknown as ChatProvider,
        ] as const,
    );
  const answer = answerChat({
    models: { loaded: true, get: (slug) => models.get(slug) },
    providers: { loaded: true, accountsOf: environmentAccounts(new Map(providers)) },
    health: new TargetHealth(() => 0, 1_000),
    sessions: new SessionPins(() => 0),
    admission,
    runner: {
      send: async (_context: RequestContext, admitted: AdmittedCall) => {
        sent = admitted;
        return {};
      },
    } as unknown as ChatRunner,
    counting: tokenizerCpuQuota(400, () => 0),
    abandoned: { admits: () => admitsAbandoned },
    addressesOf: async () => [],
  });
  const body = { model: 'first/model', max_tokens: 1_000, messages: [{ role: 'user', content }] };
  await answer(
    {} as RequestContext,
    {
      path: '/v1/chat/completions',
      headers,
      key: { allowedModels: [], previewModels: [], noFallbackModels: false, cell: '', ...key },
    } as unknown as LinkCall,
    parseChatRequest(Buffer.from(JSON.stringify(body))),
  );
  return sent!;
}

const slugsOf = ({ fallbacks }: AdmittedCall) => fallbacks.map(({ model }) => model.slug);

test('one hold covers the most expensive of the requested model and its fallback models', async () => {
  const { fallbacks } = await call();
  expect(asked).toHaveLength(1);
  const [{ model, price, bound }] = asked as [AdmissionRequest];
  expect([model.slug, price.input]).toEqual(['first/model', 1_000_000n]);
  // The second model costs five times as much, for the same tokens.
  expect(Number(bound.costNano) / (bound.inputTokens + bound.outputTokens)).toBe(5);
  expect(
    fallbacks.map(({ billedAs, loweredMaxTokens }) => [billedAs?.priceVersion, loweredMaxTokens]),
  ).toEqual([
    [2n, undefined],
    [3n, undefined],
  ]);
});

test('a fallback model is named in its response header, beside the output that its own price allows', async () => {
  const { headers, fallbacks } = await call();
  expect(headers).not.toHaveProperty('x-gateway-fallback-model');
  expect(fallbacks.map((one) => one.headers)).toEqual([
    { 'x-gateway-fallback-model': 'second/model' },
    { 'x-gateway-fallback-model': 'third/model' },
  ]);
});

test('only the body for the requested model is kept while it answers, which may take long', async () => {
  const { body, fallbacks } = await call();
  expect([body.length > 0, ...fallbacks.map((one) => one.body)]).toEqual([true, undefined, undefined]);
});

test('funds that suffice only for the requested model admit the call, and lower the output of the other', async () => {
  fundsNano = 2_000n;
  const { fallbacks } = await call();
  expect(asked.map(({ bound }) => bound.costNano > 2_000n)).toEqual([true, false]);
  const [second, third] = fallbacks;
  expect(second!.loweredMaxTokens).toBeGreaterThan(0);
  expect(second!.loweredMaxTokens).toBeLessThan(400);
  expect(second!.headers['x-gateway-max-tokens']).toBe(String(second!.loweredMaxTokens));
  expect(third!.loweredMaxTokens).toBeUndefined();
});

test('a fallback model that the hold does not pay for at all is left out', async () => {
  fundsNano = 2_000n;
  define(modelOf('second/model', { pricing: priced(1_000_000_000n) }));
  expect(slugsOf(await call())).toEqual(['third/model']);
});

test('a call that exceeds the TPM limit waits for tokens of ended calls, as it does without fallback models', async () => {
  refusals = [new GatewayError('tpm_rate_limited')];
  await call({ hasTpmLimit: true });
  expect(asked.map(({ waitsForSettlements }) => waitsForSettlements)).toEqual([false, true]);
});

describe('an account with too many abandoned calls', () => {
  beforeEach(() => {
    admitsAbandoned = false;
    define(modelOf('second/model', { hidesReasoning: true }));
  });

  test('is not refused because a fallback model hides its usage: the fallback model is left out', async () => {
    const { fallbacks, usageIsHidden } = await call();
    expect([fallbacks.map(({ model }) => model.slug), usageIsHidden]).toEqual([['third/model'], false]);
  });

  test('is refused a model that hides its usage', async () => {
    define(modelOf('first/model', { hidesReasoning: true }));
    await expect(call()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('a fallback model is left out', () => {
  const reasons: [string, () => Parameters<typeof call>][] = [
    ['that the key may not call', () => [{ allowedModels: ['first/model', 'third/model'] }]],
    [
      'that is not active',
      () => {
        define(modelOf('second/model', { active: false }));
        return [];
      },
    ],
    [
      'that is a preview to which the account has not opted in',
      () => {
        define(modelOf('second/model', { preview: true }));
        return [];
      },
    ],
    [
      'that does not exist any more',
      () => {
        models.delete('second/model');
        return [];
      },
    ],
    [
      'whose provider is not configured',
      () => {
        absent = ['second'];
        return [];
      },
    ],
    [
      'whose context is too short',
      () => {
        define(modelOf('second/model', { contextLength: 1_000 }));
        return [{}, {}, 'word '.repeat(2_000)];
      },
    ],
  ];
  test.each(reasons)('%s', async (_, given) => {
    expect(slugsOf(await call(...given()))).toEqual(['third/model']);
  });
});

describe('fallback models are switched off', () => {
  test('by the key', async () => {
    expect(slugsOf(await call({ noFallbackModels: true }))).toEqual([]);
    expect(asked[0]!.bound.costNano).toBeLessThan(2_000n);
  });

  test('by X-Gateway-Fallback: off', async () => {
    expect(slugsOf(await call({}, { 'x-gateway-fallback': 'off' }))).toEqual([]);
    expect(slugsOf(await call({}, { 'x-gateway-fallback': 'on' }))).toHaveLength(2);
  });

  test('not by another value, which is refused rather than ignored', async () => {
    await expect(call({}, { 'x-gateway-fallback': 'none' })).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'X-Gateway-Fallback: must be on or off',
    });
  });
});

describe('a model without a configured provider', () => {
  test('is answered by its first usable fallback model', async () => {
    absent = ['first', 'second'];
    const { model, fallbacks } = await call();
    expect([model.slug, fallbacks]).toEqual(['third/model', []]);
  });

  test('is recorded as the requested one, beside the header that names the model that answers', async () => {
    absent = ['first'];
    const { model, requestedModel, headers, fallbacks } = await call();
    expect([model.slug, requestedModel]).toEqual(['second/model', 'first/model']);
    expect(headers).toMatchObject({ 'x-gateway-fallback-model': 'second/model' });
    expect(asked[0]).toMatchObject({ requestedModel: 'first/model' });
    expect(fallbacks.map((one) => [one.requestedModel, one.headers['x-gateway-fallback-model']])).toEqual([
      ['first/model', 'third/model'],
    ]);
  });

  test('is unavailable when fallback models are switched off', async () => {
    absent = ['first'];
    await expect(call({ noFallbackModels: true })).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

test('fallback models of a fallback model are not used', async () => {
  define(modelOf('second/model', { fallbackModels: ['fourth/model'] }));
  define(modelOf('fourth/model'));
  expect(slugsOf(await call())).toEqual(['second/model', 'third/model']);
});
