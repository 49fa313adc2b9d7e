import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import type { TokenPrice } from '@gateway/pricing';
import type { RequestContext } from '@gateway/rpc';
import { type ProviderConnection, SessionPins, TargetHealth } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import type { ApiFormat } from '../domain/conversation';
import type { Model } from '../domain/model';
import { environmentAccounts } from '../domain/route.fixture';
import { tokenizerCpuQuota } from '../domain/tokenizer-cpu-quota';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { parseChatRequest } from '../formats/openai/chat-request';
import type { AdmittedCall } from './admitted-call';
import { answerChat } from './answer-chat';
import type { ChatRunner } from './chat-runner';
import type { Admission, AdmissionRequest } from './reserve-call';

const PRICE: TokenPrice = {
  input: 1_000_000_000n,
  output: 0n,
  cache_write: 1_250_000_000n,
  cache_write_1h: 2_000_000_000n,
};
const TARGET = {
  upstreamModel: 'up',
  weight: 1,
  connectTimeoutMs: 0,
  firstByteTimeoutMs: 0,
  idleTimeoutMs: 0,
};
const MODEL: Model = {
  slug: 'sim/chat',
  name: 'Chat',
  active: true,
  preview: false,
  outputModalities: ['text'],
  capabilities: new Set(),
  hidesReasoning: false,
  contextLength: 100_000,
  maxOutputTokens: 100,
  outputFloorTokens: 1,
  maxImageTokens: 0,
  targets: [],
  strategy: 'weighted',
  fallbackModels: [],
  pricing: { version: 1n, base: PRICE, serviceTiers: new Map() },
  createdAtMs: 0,
};
const CONTEXT = {} as RequestContext;
const CALL = {
  path: '/v1/messages',
  headers: {},
  key: { allowedModels: [], previewModels: [] },
} as unknown as LinkCall;

const provider = (wire: ApiFormat, translation: string) =>
  ({
    id: wire,
    wire,
    encoding: wire === 'openai' ? 'o200k' : wire === 'gemini' ? 'gemini' : 'claude',
    writeRequest: () => Buffer.from(translation),
    ...(wire === 'openai' && { boundInput: () => 1 }),
    ...(wire === 'bedrock' && { writesLongCache: true }),
  }) as unknown as ChatProvider;

/** Returns the admission request of a call in Anthropic's format to a model of these providers. */
async function admissionFor(
  body: object,
  wires: readonly ApiFormat[],
  price = PRICE,
): Promise<AdmissionRequest> {
  return (await admissionsFor(body, wires, price))[0]!;
}

/** Returns all admission requests of the call, of which the first `short` are refused with `refusal`. */
async function admissionsFor(
  body: object,
  wires: readonly ApiFormat[],
  price = PRICE,
  short = 0,
  refusal = new GatewayError('insufficient_balance'),
  translation = '{}',
  call = CALL,
): Promise<AdmissionRequest[]> {
  const model: Model = {
    ...MODEL,
    targets: wires.map((wire, priority) => ({ ...TARGET, provider: wire, priority })),
    pricing: { version: 1n, base: price, serviceTiers: new Map() },
  };
  const asked: AdmissionRequest[] = [];
  const answer = answerChat({
    models: { loaded: true, get: () => model },
    health: new TargetHealth(() => 0, 1_000),
    sessions: new SessionPins(() => 0),
    providers: {
      loaded: true,
      accountsOf: environmentAccounts(new Map(wires.map((wire) => [wire, provider(wire, translation)]))),
    },
    admission: {
      admit: async (_context: RequestContext, request: AdmissionRequest) => {
        asked.push(request);
        if (asked.length <= short) throw refusal;
        return {};
      },
    } as unknown as Admission,
    runner: { send: async () => ({}) } as unknown as ChatRunner,
    counting: tokenizerCpuQuota(400, () => 0),
    abandoned: { admits: () => true },
    addressesOf: async () => [],
  });
  const bytes = Buffer.from(JSON.stringify({ model: 'sim/chat', max_tokens: 10, ...body }));
  const answered = answer(CONTEXT, call, parseMessagesRequest(bytes, {}));
  await (short > 0 ? answered.catch(() => {}) : answered);
  return asked;
}

test('the input bound covers a translation that is longer than the request', async () => {
  const body = { messages: [{ role: 'user', content: 'x' }] };
  const inputOf = async (wires: ApiFormat | readonly ApiFormat[], translated: number) => {
    const [asked] = await admissionsFor(body, [wires].flat(), PRICE, 0, undefined, 'y'.repeat(translated));
    return asked!.bound.inputTokens;
  };
  const ownBytes = await inputOf('anthropic', 50_000);
  expect(ownBytes).toBeLessThan(200);
  expect(await inputOf('gemini', 50_000)).toBe(50_000 - 1_024);
  expect(await inputOf(['anthropic', 'gemini'], 50_000)).toBe(50_000 - 1_024);
  // A slightly longer translation of the same content does not raise the bound.
  expect(await inputOf('gemini', ownBytes + 1_000)).toBe(ownBytes);
});

describe('caching for one hour', () => {
  const cachedFor = (ttl: string) => ({
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl } }] },
    ],
  });
  const perToken = ({ bound }: AdmissionRequest) => Number(bound.costNano) / bound.inputTokens;

  test('is included in the bound at its own price when requested', async () => {
    expect(perToken(await admissionFor(cachedFor('1h'), ['anthropic']))).toBe(2_000);
    expect(perToken(await admissionFor(cachedFor('1h'), ['gemini', 'anthropic']))).toBe(2_000);
    expect(perToken(await admissionFor(cachedFor('1h'), ['bedrock']))).toBe(2_000);
    expect(perToken(await admissionFor(cachedFor('1h'), ['gemini']))).toBe(1_250);
    expect(perToken(await admissionFor(cachedFor('5m'), ['anthropic']))).toBe(1_250);
  });

  test('is refused when the model has no price for it', async () => {
    const { cache_write_1h, ...without } = PRICE;
    await expect(admissionFor(cachedFor('1h'), ['anthropic'], without)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('is ignored by a provider of another format', async () => {
    const { cache_write_1h, ...without } = PRICE;
    expect(perToken(await admissionFor(cachedFor('1h'), ['openai', 'gemini'], without))).toBe(1_250);
  });
});

describe('a prompt whose bytes exceed the context', () => {
  const body = { messages: [{ role: 'user', content: 'x'.repeat(1_000) }] };

  test('is counted when every target uses the same encoding', async () => {
    const [byBytes, counted] = await admissionsFor(body, ['openai'], PRICE, 1);
    expect(byBytes!.bound.inputTokens).toBeGreaterThan(1_000);
    expect(counted!.bound.inputTokens).toBe(1);
  });

  test('is not counted when a target with another encoding could answer', async () => {
    const asked = await admissionsFor(body, ['openai', 'gemini'], PRICE, 1);
    expect(asked.every(({ bound }) => bound.inputTokens > 1_000)).toBe(true);
  });
});

describe('the prompt estimate for a TPM limit', () => {
  const LIMITED = { ...CALL, key: { ...CALL.key, hasTpmLimit: true } };
  const messageOf = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
  const prose = messageOf({ type: 'text', text: 'The quick brown fox. '.repeat(1_000) });
  const promptOf = async (body: object, wires: readonly ApiFormat[] = ['anthropic']) =>
    (await admissionsFor(body, wires, PRICE, 0, undefined, '{}', LIMITED))[0]!.promptTokens;

  test('is exact for public encodings and close for others', async () => {
    // 5,001 tokens of text and 7 of the message frame.
    expect(await promptOf(prose, ['openai'])).toBe(5_008);
    for (const wire of ['anthropic', 'gemini'] as const) {
      expect(await promptOf(prose, [wire])).toBeGreaterThan(4_500);
      expect(await promptOf(prose, [wire])).toBeLessThan(5_500);
    }
  });

  test('is a quarter of the bytes for a key without a TPM limit', async () => {
    const [asked] = await admissionsFor(prose, ['openai']);
    expect(asked!.promptTokens).toBeGreaterThan(5_250);
    expect(asked!.promptTokens).toBeLessThan(5_300);
  });

  test('is made before refusing a key whose limit is newer than the cached key', async () => {
    const refusal = new GatewayError('tpm_rate_limited', { shouldRetry: false });
    const asked = await admissionsFor(prose, ['gemini'], PRICE, 1, refusal);
    expect(asked.map(({ promptTokens }) => promptTokens)).toEqual([
      expect.any(Number),
      await promptOf(prose, ['gemini']),
    ]);
    expect(asked[0]!.bound).toEqual(asked[1]!.bound);
  });

  test('is not repeated for an RPM refusal', async () => {
    const refusal = new GatewayError('rpm_rate_limited', { retryAfterSeconds: 3 });
    expect(await admissionsFor(prose, ['gemini'], PRICE, 1, refusal)).toHaveLength(1);
  });

  test('excludes the bytes of images', async () => {
    const data = 'A'.repeat(20_000);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    expect(await promptOf(messageOf(image))).toBeLessThan(1_500);
  });

  test('uses the bytes of content that only the format of the client can express', async () => {
    const tokens = await promptOf(
      messageOf({ type: 'server_tool_use', id: 'a', name: 'b', input: { c: 'd '.repeat(4_000) } }),
    );
    expect(tokens).toBeGreaterThan(2_000);
    expect(tokens).toBeLessThan(2_200);
  });

  test.each([
    [
      'the output schema',
      { output_config: { format: { type: 'json_schema', schema: { a: 'b '.repeat(5_000) } } } },
    ],
    ['the tools', { tools: [{ name: 'f', description: 'b '.repeat(5_000), input_schema: {} }] }],
    ['the system prompt', { system: 'b '.repeat(5_000) }],
  ])('includes %s', async (_, more) => {
    const tokens = await promptOf({ ...messageOf({ type: 'text', text: 'x' }), ...more });
    expect(tokens).toBeGreaterThan(4_500);
    expect(tokens).toBeLessThan(6_000);
  });
});

describe('a call that the TPM limit refuses', () => {
  const body = { messages: [{ role: 'user', content: 'x'.repeat(1_000) }] };

  test('is retried once with the same bound when tokens become available', async () => {
    const refusal = new GatewayError('tpm_rate_limited', { retryAfterSeconds: 3 });
    const limited = { ...CALL, key: { ...CALL.key, hasTpmLimit: true } };
    const [first, second] = await admissionsFor(body, ['openai'], PRICE, 1, refusal, '{}', limited);
    expect([first!.waitsForSettlements, second!.waitsForSettlements]).toEqual([false, true]);
    expect(second!.bound).toEqual(first!.bound);
  });
});

test('a target that would refuse a field of another provider is skipped wherever it is in the order', async () => {
  const refuses = ({ top_k }: Record<string, unknown>) => {
    if (top_k === undefined) return new Map();
    throw new GatewayError('invalid_request', { detail: 'top_k: not supported by this model' });
  };
  const openAi = (id: string, passThroughMembers?: ChatProvider['passThroughMembers']) =>
    ({ id, wire: 'openai', maxTokensField: 'max_tokens', passThroughMembers }) as unknown as ChatProvider;
  const providers = new Map([
    ['picky', openAi('picky', refuses)],
    ['open', openAi('open')],
    ['picky-too', openAi('picky-too', refuses)],
  ]);
  const routesOf = async (names: readonly string[], fields: object): Promise<string[]> => {
    let tried: string[] = [];
    const answer = answerChat({
      health: new TargetHealth(() => 0, 1_000),
      sessions: new SessionPins(() => 0),
      models: {
        loaded: true,
        get: () => ({
          ...MODEL,
          targets: names.map((name, priority) => ({ ...TARGET, provider: name, priority })),
        }),
      },
      providers: { loaded: true, accountsOf: environmentAccounts(providers) },
      admission: { admit: async () => ({}) } as unknown as Admission,
      runner: {
        send: async (_context: RequestContext, { routes }: AdmittedCall) => {
          tried = routes.map(({ provider: { id } }) => id);
          return {};
        },
      } as unknown as ChatRunner,
      abandoned: { admits: () => true },
      addressesOf: async () => [],
      counting: tokenizerCpuQuota(400, () => 0),
    });
    const body = { model: 'sim/chat', max_tokens: 10, messages: [{ role: 'user', content: 'x' }], ...fields };
    await answer(CONTEXT, CALL, parseChatRequest(Buffer.from(JSON.stringify(body))));
    return tried;
  };
  const all = ['picky', 'open', 'picky-too'];
  expect(await routesOf(all, {})).toEqual(all);
  expect(await routesOf(all, { top_k: 5 })).toEqual(['open']);
  await expect(routesOf(['picky', 'picky-too'], { top_k: 5 })).rejects.toMatchObject({
    code: 'invalid_request',
    detail: 'top_k: not supported by this model',
  });
});

describe('a call with a link', () => {
  const LINK = 'https://inner.example.com/a.png';

  /** Returns the providers to which the call may be sent, or its refusal. */
  async function triedFor(...policies: (ProviderConnection['links'] | undefined)[]): Promise<unknown> {
    const ids = policies.map((links, at) => `${links ?? 'usual'}-${at}`);
    const providers = new Map(
      ids.map((id, at) => [
        id,
        { ...provider('openai', '{}'), id, connection: { links: policies[at] } } as ChatProvider,
      ]),
    );
    let tried: unknown;
    const answer = answerChat({
      models: {
        loaded: true,
        get: () => ({
          ...MODEL,
          targets: ids.map((id, priority) => ({ ...TARGET, provider: id, priority })),
        }),
      },
      health: new TargetHealth(() => 0, 1_000),
      sessions: new SessionPins(() => 0),
      providers: { loaded: true, accountsOf: environmentAccounts(providers) },
      admission: { admit: async () => ({}) } as unknown as Admission,
      runner: {
        send: async (_context: RequestContext, { routes }: AdmittedCall) => {
          tried = routes.map((route) => route.provider.id);
          return {};
        },
      } as unknown as ChatRunner,
      counting: tokenizerCpuQuota(400, () => 0),
      abandoned: { admits: () => true },
      addressesOf: async () => ['10.0.0.9'],
    });
    const content = [{ type: 'image_url', image_url: { url: LINK } }];
    const body = { model: 'sim/chat', messages: [{ role: 'user', content }], max_tokens: 5 };
    try {
      await answer(CONTEXT, CALL, parseChatRequest(Buffer.from(JSON.stringify(body))));
      return tried;
    } catch (error) {
      return (error as GatewayError).detail;
    }
  }

  test('skips the targets of providers that take no links', async () => {
    expect(await triedFor('refuse', undefined, 'refuse')).toEqual(['usual-1']);
    expect(await triedFor('refuse')).toBe('links are not supported by this model: send the data itself');
  });

  test('is refused if its host resolves to a private address and a provider is in a private network', async () => {
    expect(await triedFor(undefined)).toEqual(['usual-0']);
    expect(await triedFor(undefined, 'resolve')).toBe('the link must point to a public host');
  });
});

test('what a target can carry is decided once, however many credentials its provider has', async () => {
  let asked = 0;
  const provider = {
    id: 'many',
    wire: 'openai',
    maxTokensField: 'max_tokens',
    passThroughMembers: () => {
      asked++;
      return new Map();
    },
  } as unknown as ChatProvider;
  const accounts = Array.from({ length: 50 }, (_, at) => ({
    provider,
    credential: { id: `c${at}`, name: `c${at}`, weight: 1 },
  }));
  const answer = answerChat({
    models: {
      loaded: true,
      get: () => ({ ...MODEL, targets: [{ ...TARGET, provider: 'many', priority: 0 }] }),
    },
    health: new TargetHealth(() => 0, 1_000),
    sessions: new SessionPins(() => 0),
    providers: { loaded: true, accountsOf: () => accounts },
    admission: {
      admit: () => Promise.reject(new GatewayError('insufficient_balance')),
    } as unknown as Admission,
    runner: {} as ChatRunner,
    counting: tokenizerCpuQuota(400, () => 0),
    abandoned: { admits: () => true },
    addressesOf: async () => [],
  });
  const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 };
  const request = parseChatRequest(Buffer.from(JSON.stringify(body)));
  await expect(answer(CONTEXT, CALL, request)).rejects.toMatchObject({ code: 'insufficient_balance' });
  expect(asked).toBeLessThanOrEqual(2);
});
