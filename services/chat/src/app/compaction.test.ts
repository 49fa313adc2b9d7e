import type { HttpClient } from '@gateway/http-client';
import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { writeSummary } from '../domain/summary-content';
import { upperBound } from '../domain/upper-bound';
import { parseCompaction } from '../formats/responses/compaction';
import { parseResponsesRequest, type StoredItems } from '../formats/responses/responses-request';
import { KINDS } from '../providers/connect-provider';
import { sealed } from '../providers/openai/responses/encrypted-reasoning';
import { compactingProviders } from './compacting-providers';
import { callThrough, PRICE } from './recorded-call.fixture';
import { responseProviders } from './response-providers';
import { upstreamBody } from './upstream-body';
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

type Kind = Parameters<typeof providerOf>[0] | 'compatible';

/** Returns the providers of a kind as responses are sent to them. `compatible`: a server with the Responses API. */
function responding(kind: Kind) {
  const openAi = { id: kind, baseUrl: 'https://api.openai.com/v1', apiKey: 'k', options: {} };
  const provider =
    kind === 'openai'
      ? KINDS.openai(openAi, new Quota({ limit: 1_000_000 }))
      : kind === 'compatible'
        ? providerOf('openai', { quirks: { responses: true } })
        : providerOf(kind);
  const account = { provider, credential: { id: 'c' } };
  return responseProviders({ loaded: true, accountsOf: () => [account] } as never, false);
}

/** Returns a provider as compactions are sent to it. */
const compacting = (kind: Kind): ChatProvider =>
  compactingProviders(responding(kind)).accountsOf(kind)[0]!.provider;

/** Sends a compaction to a provider that answers with the reply. */
const compactedBy = (provider: ChatProvider, reply: object, body: object = { input: INPUT }) =>
  answeredBy(provider, JSON.stringify(reply), compact(body));

/** Sends a call to a provider that answers with the reply. */
async function answeredBy(provider: ChatProvider, reply: string, request: CallerRequest) {
  const sent: { path?: string; body?: unknown } = {};
  const upstream = {
    send: async (request: { url: URL; body: Buffer }) => {
      Object.assign(sent, { path: request.url.pathname, body: JSON.parse(String(request.body)) });
      async function* bytes() {
        yield Buffer.from(reply);
      }
      return { status: 200, headers: {}, body: bytes() };
    },
  } as unknown as Pick<HttpClient, 'send'>;
  const { body: received, error, billed } = await callThrough(provider, upstream, request);
  return {
    ...{ sent, error, billed, received },
    compacted: received && !request.stream && JSON.parse(received),
  };
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
  for (const kind of ['openai', 'compatible', 'anthropic', 'gemini'] as const) {
    const body = receivedBy(compacting(kind), next);
    expect(JSON.stringify(body)).toContain(
      'Summary of the conversation so far:\\n\\nRivers of Peru and Chile.',
    );
    expect(JSON.stringify(body)).not.toContain('gws1.');
  }
});

const TRIGGER = { type: 'compaction_trigger' };
const TOOL = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } };
const named = (type: string, event: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`;

/** The response of a server with the Responses API that does not know compactions, whole or as a stream. */
function responseOf(text: string, stream: boolean): string {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
  const response = {
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [item] },
    usage: USAGE,
  };
  if (!stream) return JSON.stringify(response);
  return [
    named('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    named('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    ...[...text].map((delta) =>
      named('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
    ),
    named('response.output_item.done', { output_index: 0, item }),
    named('response.completed', { response }),
  ].join('');
}

function messageOf(text: string, stream: boolean): string {
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'c', stop_reason: 'end_turn' },
    content: [{ type: 'text', text }],
    usage: { input_tokens: 40, output_tokens: 30 },
  };
  if (!stream) return JSON.stringify(message);
  return [
    named('message_start', { message: { ...message, content: [], stop_reason: null } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...[...text].map((part) =>
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: part } }),
    ),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 30 } }),
    named('message_stop', {}),
  ].join('');
}

/** Returns the items of a response and whether it is complete, as Codex reads them from a stream. */
function itemsIn(received: string, stream: boolean) {
  if (!stream) return JSON.parse(received) as { status: string; output: Record<string, string>[] };
  const events = [...received.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  const output = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  const { response } = events.at(-1);
  expect(events.map(({ sequence_number: at }) => at)).toEqual([...events.keys()]);
  expect(response.output).toEqual(output);
  return { status: response.status as string, output };
}

const SUMMARIZING = [
  ['anthropic', messageOf],
  ['compatible', responseOf],
] as const;

test.each(
  SUMMARIZING.flatMap(([kind, reply]) => [false, true].map((stream) => [kind, stream, reply] as const)),
)('the trigger of Codex is answered with one summary: %s, streamed: %s', async (kind, stream, reply) => {
  const body = { stream, tools: [TOOL], instructions: 'Be brief.', input: [...INPUT, TRIGGER] };
  const { provider } = responding(kind).accountsOf(kind)[0]!;
  const request = CALLS.responses(body);
  const { sent, received, error, billed } = await answeredBy(
    provider,
    reply('Rivers of Peru and Chile.', stream),
    request,
  );
  expect(error).toBeUndefined();
  const asked = JSON.stringify(sent.body);
  expect(asked).toMatch(/And one in Chile\?.*Summarize the conversation/);
  expect(asked).not.toContain('compaction_trigger');
  // The cache of the conversation is found only with its tools.
  expect(asked).toContain('"shell"');
  expect(asked).toMatch(/"tool_choice":("none"|\{"type":"none")/);
  const { status, output } = itemsIn(received!, stream);
  expect(status).toBe('completed');
  expect(output).toEqual([
    { id: expect.stringMatching(/^cmp_/), type: 'compaction', encrypted_content: expect.any(String) },
  ]);
  expect(billed).toHaveLength(1);
  const next = CALLS.responses({ input: [INPUT[0], ...output, { role: 'user', content: 'Go on.' }] });
  expect(JSON.stringify(receivedBy(provider, next))).toContain(
    'Summary of the conversation so far:\\n\\nRivers of Peru and Chile.',
  );
});

test.each([false, true])('the trigger passes to OpenAI with its reply, streamed: %s', async (stream) => {
  const body = { stream, tools: [TOOL], input: [...INPUT, TRIGGER] };
  const item = { id: 'cmp_theirs', type: 'compaction', encrypted_content: 'SECRET' };
  const response = {
    ...{ id: 'resp_theirs', object: 'response', status: 'completed', model: 'm', output: [item] },
    usage: USAGE,
  };
  const events = [
    named('response.created', { sequence_number: 0, response: { ...response, output: [] } }),
    named('response.output_item.added', { sequence_number: 1, output_index: 0, item }),
    named('response.output_item.done', { sequence_number: 2, output_index: 0, item }),
    named('response.completed', { sequence_number: 3, response }),
  ];
  const { provider } = responding('openai').accountsOf('openai')[0]!;
  const { sent, received, error, billed } = await answeredBy(
    provider,
    stream ? events.join('') : JSON.stringify(response),
    CALLS.responses(body),
  );
  expect(error).toBeUndefined();
  expect(sent).toMatchObject({ path: '/v1/responses', body: { tools: [TOOL], input: body.input } });
  const { status, output } = itemsIn(received!, stream);
  expect(status).toBe('completed');
  expect(billed).toMatchObject([{ tokens: { input: '40', output: '30' } }]);
  expect(receivedBy(provider, CALLS.responses({ input: [...output, INPUT[0]] })).input[0]).toEqual(item);
});

test('a trigger is the last item, needs something to compact, and is refused nowhere else', () => {
  expect(() => CALLS.responses({ input: [TRIGGER, ...INPUT] })).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining('input[0]') }),
  );
  expect(() => CALLS.responses({ input: [TRIGGER] })).toThrow(
    expect.objectContaining({ code: 'missing_parameter', param: 'input' }),
  );
  const { turns } = compact({ input: [...INPUT, TRIGGER] }).conversation();
  expect(turns).toEqual(compact({ input: INPUT }).conversation().turns);
});

test('a stored conversation goes on from its compaction and the messages of the user', () => {
  const body = JSON.stringify({ model: 'a/b', previous_response_id: 'resp_1', input: 'Go on.' });
  const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: writeSummary('Of rivers.') };
  const conversation = [...INPUT, compaction, { role: 'assistant', content: 'And so on.' }];
  const call = parseResponsesRequest(Buffer.from(body), { canStore: true }).withItems({
    ...{ conversation, byId: new Map() },
  });
  const sent = JSON.stringify(call.conversation().turns);
  expect(sent).toMatch(/Name a river.*And one in Chile.*Of rivers\..*And so on.*Go on\./);
  expect(sent).not.toContain('Marañón');
  expect(call.parsed.input).toHaveLength(5);
});

test('a server with the Responses API that is not known to compact conversations is asked for a summary', async () => {
  const reply = JSON.parse(responseOf('Rivers of Peru and Chile.', false));
  const { sent, error, compacted } = await compactedBy(compacting('compatible'), reply);
  expect(error).toBeUndefined();
  expect(sent.path).toBe('/v1/responses');
  expect(JSON.stringify(sent.body)).toContain('Summarize the conversation');
  expect(compacted.object).toBe('response.compaction');
  expect(compacted.output.map(({ type }: { type: string }) => type)).toEqual([
    'message',
    'message',
    'compaction',
  ]);
});

test('a summary is not repeated in the next one, and goes on from a stored conversation', async () => {
  const earlier = { type: 'compaction', id: 'cmp_1', encrypted_content: writeSummary('Of rivers.') };
  const call = compact(
    { previous_response_id: 'resp_1' },
    { conversation: [earlier, INPUT[0]], byId: new Map() },
  );
  expect(JSON.stringify(call.conversation().turns)).toMatch(/Of rivers\..*Name a river/);
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0, costNano: 1n };
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
  const summary = { ...model, capabilities: new Set<string>() } as never;
  for (const each of [call, CALLS.responses({ input: [...INPUT, TRIGGER] })]) {
    const route = { provider: compacting('anthropic'), target: { upstreamModel: 'm' } } as never;
    const { max_tokens: most } = JSON.parse(upstreamBody(each, summary, route, undefined).toString());
    expect(most).toBe(16_384);
    expect(upperBound(summary, PRICE, each.size).outputTokens).toBe(64_000);
  }
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
