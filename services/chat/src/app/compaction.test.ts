import type { HttpClient } from '@gateway/http-client';
import { expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import { writeSummary } from '../domain/summary-content';
import { upperBound } from '../domain/upper-bound';
import { parseCompaction } from '../formats/responses/compaction';
import type { StoredItems } from '../formats/responses/responses-request';
import { sealed } from '../providers/openai/responses/encrypted-reasoning';
import { compactingProviders } from './compacting-providers';
import { callThrough, PRICE } from './recorded-call.fixture';
import { responseProviders } from './response-providers';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const INPUT = [
  { role: 'user', content: 'Name a river in Peru.' },
  { role: 'assistant', content: 'The Marañón.' },
  { role: 'user', content: [{ type: 'input_text', text: 'And one in Chile?' }] },
];
const USAGE = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 70,
};

const compact = (body: object, stored?: StoredItems) =>
  parseCompaction(Buffer.from(JSON.stringify({ model: 'a/b', ...body })), { canStore: true }).withItems(
    stored,
  );

/** Returns a provider as compactions are sent to it. */
function compacting(kind: Parameters<typeof providerOf>[0]): ChatProvider {
  const options = kind === 'openai' ? { quirks: { responses: true } } : {};
  const account = { provider: providerOf(kind, options), credential: { id: 'c' } };
  const providers = { loaded: true, accountsOf: () => [account] } as never;
  return compactingProviders(responseProviders(providers, false)).accountsOf(kind)[0]!.provider;
}

/** Sends a compaction to a provider that answers with the reply. */
async function compactedBy(provider: ChatProvider, reply: object, body: object = { input: INPUT }) {
  const sent: { path?: string; body?: unknown } = {};
  const upstream = {
    send: async (request: { url: URL; body: Buffer }) => {
      Object.assign(sent, { path: request.url.pathname, body: JSON.parse(String(request.body)) });
      async function* bytes() {
        yield Buffer.from(JSON.stringify(reply));
      }
      return { status: 200, headers: {}, body: bytes() };
    },
  } as unknown as Pick<HttpClient, 'send'>;
  const { body: received, error, billed } = await callThrough(provider, upstream, compact(body));
  return { sent, error, billed, compacted: received && JSON.parse(received) };
}

test.each(['openai', 'azure-openai'] as const)(
  'a conversation is compacted by the API of %s',
  async (kind) => {
    const theirs = {
      id: 'resp_theirs',
      object: 'response.compaction',
      created_at: 1,
      billing: { payer: 'developer' },
      output: [
        { id: 'msg_theirs', type: 'message', role: 'user', status: 'completed', content: [] },
        { id: 'cmp_theirs', type: 'compaction', encrypted_content: 'SECRET' },
      ],
      usage: USAGE,
    };
    const { sent, billed, compacted } = await compactedBy(compacting(kind), theirs, {
      input: INPUT,
      instructions: 'Be brief.',
      prompt_cache_key: 'k',
      // Codex sends its session's fields.
      ...{
        tools: [{ type: 'web_search' }],
        parallel_tool_calls: true,
        reasoning: { effort: 'low' },
        stream: false,
      },
    });
    expect(sent.path).toMatch(/\/v1\/responses\/compact$/);
    expect(sent.body).toEqual({
      model: 'm',
      input: INPUT,
      instructions: 'Be brief.',
      prompt_cache_key: 'k',
    });
    const [message, compaction] = compacted.output;
    expect(compacted).toEqual({
      id: expect.stringMatching(/^resp_(?!theirs)/),
      object: 'response.compaction',
      created_at: 1,
      output: [expect.objectContaining({ role: 'user' }), expect.objectContaining({ type: 'compaction' })],
      usage: { ...USAGE, cost: expect.any(Number) },
    });
    expect(message.id).not.toBe('msg_theirs');
    // It goes back as its account wrote it.
    const next = CALLS.responses({ input: [compaction, INPUT[0]] });
    expect(receivedBy(compacting(kind), next).input[0]).toEqual(theirs.output[1]);
    expect(billed).toHaveLength(1);
    expect(billed[0]).toMatchObject({
      tokens: { input: '40', output: '30' },
      usageSource: 'USAGE_SOURCE_PROVIDER',
    });
  },
);

test('other models write a summary, which any model can read', async () => {
  const reply = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'Rivers of Peru and Chile.' }],
    usage: { input_tokens: 90, output_tokens: 8 },
  };
  const { sent, compacted } = await compactedBy(compacting('anthropic'), reply);
  const { messages } = sent.body as { messages: { role: string; content: unknown }[] };
  expect(JSON.stringify(messages.at(-1))).toMatch(/And one in Chile\?.*Summarize the conversation/);
  const [first, second, compaction] = compacted.output;
  expect(first).toMatchObject({
    ...{ type: 'message', role: 'user', status: 'completed' },
    content: [{ type: 'input_text', text: 'Name a river in Peru.' }],
  });
  expect(second.content).toEqual([{ type: 'input_text', text: 'And one in Chile?' }]);
  expect(compaction).toMatchObject({ id: expect.stringMatching(/^cmp_.*_2$/), type: 'compaction' });
  expect(compacted).toMatchObject({
    object: 'response.compaction',
    usage: { input_tokens: 90, output_tokens: 8, total_tokens: 98, cost: expect.any(Number) },
  });

  const next = CALLS.responses({ input: [...compacted.output, { role: 'user', content: 'Go on.' }] });
  for (const kind of ['openai', 'anthropic', 'gemini'] as const) {
    const body = receivedBy(compacting(kind), next);
    expect(JSON.stringify(body)).toContain(
      'Summary of the conversation so far:\\n\\nRivers of Peru and Chile.',
    );
    expect(JSON.stringify(body)).not.toContain('gws1.');
  }
});

test('a summary is not repeated in the next one, and goes on from a stored conversation', async () => {
  const earlier = { type: 'compaction', id: 'cmp_1', encrypted_content: writeSummary('Of rivers.') };
  const call = compact(
    { previous_response_id: 'resp_1' },
    { conversation: [earlier, INPUT[0]], byId: new Map() },
  );
  expect(JSON.stringify(call.conversation().turns)).toMatch(/Of rivers\..*Name a river/);
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0, costNano: 1n };
  const reply = { parts: [{ kind: 'text', text: 'All of it.' }], stop: 'end' } as const;
  const identity = { requestId: 'r1', model: 'a/b', createdAtMs: 0 };
  const { output } = JSON.parse(String(call.replies.write(reply, usage as never, identity)));
  expect(output.map(({ type }: { type: string }) => type)).toEqual(['message', 'compaction']);
  expect(() => call.replies.write({ parts: [], stop: 'refusal' }, usage as never, identity)).toThrow(
    'summary',
  );
});

test('a compaction of an account, foreign or unreadable, is no summary for other models', () => {
  for (const content of [sealed('acct', 'cmp_theirs', 'c2VjcmV0'), 'gws1.', 'c2VjcmV0']) {
    const item = { type: 'compaction', encrypted_content: content };
    expect(() => receivedBy(providerOf('anthropic'), CALLS.responses({ input: [INPUT[0], item] }))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  }
});

test('the hold is the maximum of the model, and a summary is short', () => {
  const call = compact({ input: INPUT });
  const model = { contextLength: 200_000, maxOutputTokens: 64_000, outputFloorTokens: 1, maxImageTokens: 0 };
  const bound = upperBound(model as never, PRICE, call.size);
  expect(bound).toMatchObject({ outputTokens: 64_000, floorOutputTokens: 64_000 });
  expect(bound.floorCostNano).toBe(bound.costNano);
  const { max_tokens: most } = receivedBy(compacting('anthropic'), call);
  expect(most).toBeLessThanOrEqual(16_384);
});

test('refuses what a caller would miss, and a call with nothing to compact', () => {
  for (const field of [{ stream: true }, { background: true }, { max_output_tokens: 5 }, { unknown: 1 }])
    expect(() => compact({ input: INPUT, ...field })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  expect(() => compact({})).toThrow(expect.objectContaining({ code: 'missing_parameter', param: 'input' }));
  expect(() => compact({ model: null, input: 'a' })).toThrow(
    expect.objectContaining({ code: 'invalid_model' }),
  );
});
