import { GatewayError } from '@gateway/proto';
import type { LinkCall, RequestContext } from '@gateway/runtime';
import { describe, expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import type { Wire } from '../domain/conversation';
import { CountingShare } from '../domain/counting-share';
import type { Model, TokenPrice } from '../domain/model';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import type { Admission, AdmissionRequest } from './admission';
import { answerChat } from './answer-chat';
import type { ChatRelay } from './chat-relay';

const PRICE: TokenPrice = {
  inputNano: 1_000_000_000n,
  outputNano: 0n,
  cacheWriteNano: 1_250_000_000n,
  cacheWriteLongNano: 2_000_000_000n,
};
const TARGET = {
  upstreamModel: 'up',
  weight: 1,
  connectTimeoutMs: 0,
  firstByteTimeoutMs: 0,
  idleTimeoutMs: 0,
};
const CONTEXT = {} as RequestContext;
const CALL = { path: '/v1/messages', key: { allowedModels: [], previewModels: [] } } as unknown as LinkCall;

const provider = (wire: Wire, translation: string) =>
  ({
    id: wire,
    wire,
    writeRequest: () => Buffer.from(translation),
    ...(wire === 'openai' && { boundInput: () => 1 }),
  }) as unknown as ChatProvider;

/** What is asked of admission for a call in Anthropic's format to a model of these providers. */
async function admissionFor(body: object, wires: readonly Wire[], price = PRICE): Promise<AdmissionRequest> {
  return (await admissionsFor(body, wires, price))[0]!;
}

/** The same, of which the first `short` times are refused for want of money. */
async function admissionsFor(
  body: object,
  wires: readonly Wire[],
  price = PRICE,
  short = 0,
  refusal = new GatewayError('insufficient_balance'),
  translation = '{}',
): Promise<AdmissionRequest[]> {
  const model: Model = {
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
    targets: wires.map((wire, priority) => ({ ...TARGET, provider: wire, priority })),
    pricing: { version: 1n, base: price, serviceTiers: new Map() },
    createdAtMs: 0,
  };
  const asked: AdmissionRequest[] = [];
  const answer = answerChat({
    models: { loaded: true, get: () => model },
    providers: new Map(wires.map((wire) => [wire, provider(wire, translation)])),
    admission: {
      admit: async (_context: RequestContext, request: AdmissionRequest) => {
        asked.push(request);
        if (asked.length <= short) throw refusal;
        return {};
      },
    } as unknown as Admission,
    relay: { send: async () => ({}) } as unknown as ChatRelay,
    counting: new CountingShare(() => 0, 400),
  });
  const bytes = Buffer.from(JSON.stringify({ model: 'sim/chat', max_tokens: 10, ...body }));
  const answered = answer(CONTEXT, CALL, parseMessagesRequest(bytes, {}));
  await (short > 0 ? answered.catch(() => {}) : answered);
  return asked;
}

test('a translation that is longer than what the caller sent is what bounds the input', async () => {
  const body = { messages: [{ role: 'user', content: 'x' }] };
  const inputOf = async (wires: Wire | readonly Wire[], translated: number) => {
    const [asked] = await admissionsFor(body, [wires].flat(), PRICE, 0, undefined, 'y'.repeat(translated));
    return asked!.bound.inputTokens;
  };
  const said = await inputOf('anthropic', 50_000);
  expect(said).toBeLessThan(200);
  expect(await inputOf('gemini', 50_000)).toBe(50_000 - 1_024);
  expect(await inputOf(['anthropic', 'gemini'], 50_000)).toBe(50_000 - 1_024);
  // Other words for the same.
  expect(await inputOf('gemini', said + 1_000)).toBe(said);
});

describe('an hour of cache', () => {
  const said = (ttl: string) => ({
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl } }] },
    ],
  });
  const perToken = ({ bound }: AdmissionRequest) => Number(bound.costNano) / bound.inputTokens;

  test('is bound at its price where it is asked for', async () => {
    expect(perToken(await admissionFor(said('1h'), ['anthropic']))).toBe(2_000);
    expect(perToken(await admissionFor(said('1h'), ['gemini', 'anthropic']))).toBe(2_000);
    expect(perToken(await admissionFor(said('5m'), ['anthropic']))).toBe(1_250);
  });

  test('is refused where it has no price', async () => {
    const { cacheWriteLongNano, ...without } = PRICE;
    await expect(admissionFor(said('1h'), ['anthropic'], without)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('is a hint where the provider has another format', async () => {
    const { cacheWriteLongNano, ...without } = PRICE;
    expect(perToken(await admissionFor(said('1h'), ['openai', 'gemini'], without))).toBe(1_250);
  });
});

describe('a prompt that does not fit by its bytes', () => {
  const body = { messages: [{ role: 'user', content: 'x'.repeat(1_000) }] };

  test('is counted where every target counts alike', async () => {
    const [byBytes, counted] = await admissionsFor(body, ['openai'], PRICE, 1);
    expect(byBytes!.bound.inputTokens).toBeGreaterThan(1_000);
    expect(counted!.bound.inputTokens).toBe(1);
  });

  test('is not where another could answer, which may count more', async () => {
    const asked = await admissionsFor(body, ['openai', 'gemini'], PRICE, 1);
    expect(asked.every(({ bound }) => bound.inputTokens > 1_000)).toBe(true);
  });
});

describe('a prompt that has more bytes than its key has tokens in a minute', () => {
  const refusal = new GatewayError('tpm_rate_limited', { shouldRetry: false });
  const asked = (body: object, why = refusal, wires: Wire[] = ['anthropic']) =>
    admissionsFor(body, wires, PRICE, 1, why);
  const said = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
  const prose = said({ type: 'text', text: 'The quick brown fox. '.repeat(1_000) });

  test('is estimated where its encoding is not public, while its money stays bound by the bytes', async () => {
    for (const wires of [['anthropic'], ['gemini'], ['openai', 'anthropic']] as Wire[][]) {
      const [byBytes, estimated] = await asked(prose, refusal, wires);
      expect(byBytes!.bound.rateInputTokens).toBeUndefined();
      expect(estimated!.bound).toEqual({ ...byBytes!.bound, rateInputTokens: expect.any(Number) });
      // Of 5,001 tokens.
      expect(estimated!.bound.rateInputTokens).toBeGreaterThan(7_500);
      expect(estimated!.bound.rateInputTokens).toBeLessThan(8_000);
    }
  });

  test('is never estimated to be more', async () => {
    const [byBytes, estimated] = await asked(said({ type: 'text', text: '§'.repeat(3) }));
    expect(estimated!.bound.rateInputTokens).toBeLessThanOrEqual(byBytes!.bound.inputTokens);
  });

  test.each([
    [
      'tells its schema',
      { output_config: { format: { type: 'json_schema', schema: { a: 'b '.repeat(5_000) } } } },
    ],
    ['tells its tools', { tools: [{ name: 'f', description: 'b '.repeat(5_000), input_schema: {} }] }],
    ['tells its system', { system: 'b '.repeat(5_000) }],
  ])('%s', async (_, more) => {
    const [, estimated] = await asked({ ...said({ type: 'text', text: 'x' }), ...more });
    expect(estimated!.bound.rateInputTokens).toBeGreaterThan(7_000);
  });

  test.each([
    ['waiting helps', prose, new GatewayError('tpm_rate_limited', { retryAfterSeconds: 3 })],
    ['it is its requests', prose, new GatewayError('rpm_rate_limited', { shouldRetry: false })],
    [
      'an image has no most',
      said({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }),
      refusal,
    ],
    [
      'a document is told by its address',
      said({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
      refusal,
    ],
    [
      'a block is only Anthropic’s',
      said({ type: 'server_tool_use', id: 'a', name: 'b', input: {} }),
      refusal,
    ],
  ])('is not where %s', async (_, body, why) => {
    expect(await asked(body, why)).toHaveLength(1);
  });
});
