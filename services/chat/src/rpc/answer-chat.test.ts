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

const provider = (wire: Wire) =>
  ({
    id: wire,
    wire,
    writeRequest: () => Buffer.from('{}'),
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
    providers: new Map(wires.map((wire) => [wire, provider(wire)])),
    admission: {
      admit: async (_context: RequestContext, request: AdmissionRequest) => {
        asked.push(request);
        if (asked.length <= short) throw new GatewayError('insufficient_balance');
        return {};
      },
    } as unknown as Admission,
    relay: { send: async () => ({}) } as unknown as ChatRelay,
    counting: new CountingShare(() => 0),
  });
  const bytes = Buffer.from(JSON.stringify({ model: 'sim/chat', max_tokens: 10, ...body }));
  const answered = answer(CONTEXT, CALL, parseMessagesRequest(bytes, {}));
  await (short > 0 ? answered.catch(() => {}) : answered);
  return asked;
}

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
