import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  AssistantPart,
  CacheHint,
  Conversation,
  Signature,
  TextPart,
  Turn,
} from '../../domain/conversation';
import type { Block, Cacheable, MessagesBody } from './messages-body';
import { writeRequest } from './write-request';

const said = (text: string, cache?: CacheHint): TextPart => ({ kind: 'text', text, ...(cache && { cache }) });
const plain: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [said('q')] }],
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
};

function bodyOf(more: Partial<Conversation>, capabilities: readonly string[] = [], maxOutputTokens = 8_000) {
  const written = writeRequest({ ...plain, ...more }, 'claude-x', maxOutputTokens, new Set(capabilities));
  return JSON.parse(written.toString()) as MessagesBody;
}

test('only requested parameters are sent', () =>
  expect(bodyOf({})).toEqual({
    model: 'claude-x',
    max_tokens: 8_000,
    stream: false,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }] }],
  }));

test('instructions from any turn are joined', () =>
  expect(
    bodyOf({
      system: [said('a'), said(' ')],
      turns: [...plain.turns, { role: 'system', parts: [said('b', { ttl: '5m' })] }],
    }).system,
  ).toEqual([
    { type: 'text', text: 'a ' },
    { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
  ]));

test('hints without an equivalent and blank stop sequences are omitted', () =>
  expect(
    bodyOf({ sampling: { presencePenalty: 1, frequencyPenalty: 1, seed: 7, stop: ['END', ' \n', ''] } }),
  ).toEqual({ ...bodyOf({}), stop_sequences: ['END'] }));

test('the end user is identified neither by name nor by address', () => {
  const { metadata } = bodyOf({ endUser: 'someone@example.com' });
  expect(metadata).toEqual({ user_id: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(metadata).not.toEqual(bodyOf({ endUser: 'other@example.com' }).metadata);
});

describe('the response format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const output = { kind: 'schema', name: 'n', description: 'd', schema } as const;

  test('with a schema that the model enforces', () =>
    expect(bodyOf({ output }, ['json_schema'])).toMatchObject({
      output_config: {
        format: { type: 'json_schema', schema: { ...schema, description: 'd', additionalProperties: false } },
      },
    }));

  test.each<[string, Conversation['output'], string[]]>([
    ['of a model that knows none', output, []],
    [
      'that cannot be compiled',
      { ...output, schema: { type: 'object', additionalProperties: true } },
      ['json_schema'],
    ],
  ])('with a schema %s, by an instruction', (_, output, capabilities) => {
    const { system, output_config } = bodyOf({ output, system: [said('s')] }, capabilities);
    expect(output_config).toBeUndefined();
    expect(system).toHaveLength(2);
    expect(system![1]!.text).toContain('"type":"object"');
  });

  test('any JSON, by an instruction', () =>
    expect(bodyOf({ output: { kind: 'json' } }, ['json_schema']).system).toEqual([
      { type: 'text', text: expect.stringContaining('one JSON object') },
    ]));

  test('together with an effort', () =>
    expect(
      bodyOf({ output, reasoning: { effort: 'low' } }, ['json_schema', 'adaptive_thinking']).output_config,
    ).toMatchObject({ effort: 'low', format: {} }));
});

describe('thinking', () => {
  const thinking: AssistantPart = {
    kind: 'thinking',
    text: 'hm',
    signature: { wire: 'anthropic', value: 'EqQB' },
  };
  const turns: Turn[] = [
    ...plain.turns,
    { role: 'assistant', parts: [thinking, { kind: 'tool_call', id: 'a', name: 'f', arguments: '' }] },
    { role: 'user', parts: [{ kind: 'tool_result', callId: 'a', parts: [], isError: false }] },
  ];
  const sampling = { temperature: 0.5, stop: [] };

  test("if requested: the turn's thinking is sent back, sampling parameters are omitted", () => {
    const body = bodyOf({ turns, sampling, reasoning: { effort: 'high' } }, ['thinking_budget']);
    expect(body.thinking).toMatchObject({ type: 'enabled' });
    expect(body.messages[1]!.content[0]).toMatchObject({ type: 'thinking', signature: 'EqQB' });
    expect(body).not.toHaveProperty('temperature');
  });

  test.each([
    ['forbidden', { reasoning: { effort: 'none' } as const }, ['thinking_budget', 'adaptive_thinking']],
    ['not asked for', {}, ['thinking_budget']],
  ])("%s: without the turn's thinking, with sampling parameters", (_, more, capabilities) => {
    const body = bodyOf({ turns, sampling, ...more }, capabilities);
    expect(body.messages[1]!.content).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: {} }]);
    expect(body.temperature).toBe(0.5);
  });
});

describe('an assistant prefill', () => {
  const turns: Turn[] = [...plain.turns, { role: 'assistant', parts: [said('So')] }];
  const last = (more: object, ...capabilities: string[]) =>
    bodyOf({ turns, ...more }, capabilities).messages.at(-1)!.role;

  test('is continued by models that support it, unless there is a response format', () => {
    expect(last({}, 'thinking_budget', 'json_schema')).toBe('assistant');
    expect(last({}, 'adaptive_thinking')).toBe('user');
    const output = { kind: 'schema', name: 'n', schema: { type: 'null' } };
    expect(last({ output }, 'thinking_budget', 'json_schema')).toBe('user');
    expect(last({ output }, 'thinking_budget')).toBe('assistant');
  });
});

describe('cache breakpoints', () => {
  const five: CacheHint = { ttl: '5m' };
  const hour: CacheHint = { ttl: '1h' };
  const ttls = (body: MessagesBody) => marksOf(body).map(({ cache_control }) => cache_control!.ttl ?? '5m');

  test('the last four are kept', () => {
    const body = bodyOf({
      tools: [{ name: 'f', parameters: {}, cache: five }],
      system: [said('a', five), said('b', five)],
      turns: [{ role: 'user', parts: [said('c', five), said('d'), said('e', five)] }],
    });
    expect(ttls(body)).toEqual(['5m', '5m', '5m', '5m']);
    expect(body.tools![0]).not.toHaveProperty('cache_control');
  });

  test('1 hour after 5 minutes becomes 5 minutes', () =>
    expect(
      ttls(
        bodyOf({
          system: [said('a', hour), said('b', five)],
          turns: [{ role: 'user', parts: [said('c', hour)] }],
        }),
      ),
    ).toEqual(['1h', '5m', '5m']));

  test('a tool result may have one inside and one outside', () =>
    expect(
      ttls(
        bodyOf({
          turns: [
            ...plain.turns,
            {
              role: 'assistant',
              parts: [{ kind: 'tool_call', id: 'a', name: 'f', arguments: '', cache: five }],
            },
            {
              role: 'user',
              parts: [
                { kind: 'tool_result', callId: 'a', parts: [said('x', five)], isError: false, cache: five },
              ],
            },
          ],
        }),
      ),
    ).toHaveLength(3));
});

test("a schema that nests too deeply is the caller's error", () => {
  const deep = JSON.parse(`${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`) as Record<string, unknown>;
  expect(() => bodyOf({ tools: [{ name: 'f', parameters: deep }] })).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'nested too deeply' }),
  );
});

const cache = fc.constantFrom<CacheHint[]>({ ttl: '5m' }, { ttl: '1h' });
const textPart = fc.record(
  { kind: fc.constant('text' as const), text: fc.oneof(fc.string(), fc.constantFrom('', ' ', 'a ')), cache },
  { requiredKeys: ['kind', 'text'] },
);
const callId = fc.constantFrom('a', 'b', 'c|d', '', 'x'.repeat(70));
const signature = fc.record<Signature>({
  wire: fc.constantFrom('openai', 'anthropic', 'gemini'),
  value: fc.constantFrom('', 'EqQB'),
});
const assistantPart = fc.oneof(
  textPart,
  fc.record(
    { kind: fc.constant('thinking' as const), text: fc.string(), signature },
    { requiredKeys: ['kind', 'text'] },
  ),
  fc.record({ kind: fc.constant('redacted_thinking' as const), data: signature }),
  fc.record(
    {
      kind: fc.constant('tool_call' as const),
      id: callId,
      name: fc.constantFrom('f', 'g'),
      arguments: fc.oneof(fc.json(), fc.string()),
      signature,
      cache,
    },
    { requiredKeys: ['kind', 'id', 'name', 'arguments'] },
  ),
);
const userPart = fc.oneof(
  textPart,
  fc.record({
    kind: fc.constant('image' as const),
    source: fc.constant({ kind: 'url' as const, url: 'https://a.example/x.png' }),
  }),
  fc.record(
    {
      kind: fc.constant('tool_result' as const),
      callId,
      parts: fc.array(textPart, { maxLength: 2 }),
      isError: fc.boolean(),
      cache,
    },
    { requiredKeys: ['kind', 'callId', 'parts', 'isError'] },
  ),
);
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), parts: fc.array(textPart, { maxLength: 2 }) }),
  fc.record({ role: fc.constant('user' as const), parts: fc.array(userPart, { maxLength: 4 }) }),
  fc.record({ role: fc.constant('assistant' as const), parts: fc.array(assistantPart, { maxLength: 4 }) }),
);
const conversation = fc.record<Partial<Conversation>>({
  system: fc.array(textPart, { maxLength: 2 }),
  turns: fc.array(turn, { maxLength: 8 }),
  tools: fc.constantFrom(
    [],
    [
      { name: 'f', parameters: {} },
      { name: 'g', parameters: {}, cache: { ttl: '1h' as const } },
    ],
  ),
  toolChoice: fc.constantFrom<Conversation['toolChoice'][]>(
    { kind: 'auto' },
    { kind: 'none' },
    { kind: 'required' },
    { kind: 'tool', name: 'f' },
    { kind: 'allowed', names: ['g'], required: true },
  ),
  output: fc.constantFrom<Conversation['output'][]>(
    { kind: 'text' },
    { kind: 'json' },
    { kind: 'schema', name: 'n', schema: { type: 'null' } },
  ),
  reasoning: fc.constantFrom<Conversation['reasoning'][]>(
    undefined,
    { adaptive: true },

    { effort: 'none' as const },
    { effort: 'high' as const },
    { budgetTokens: 3_000 },
  ),
  sampling: fc.record({
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    topK: fc.nat(),
    stop: fc.array(fc.string(), { maxLength: 3 }),
  }),
});
const capabilities = fc.subarray(['json_schema', 'thinking_budget', 'adaptive_thinking', 'thinking_always']);

test('any conversation results in a request that the API accepts', () => {
  fc.assert(
    fc.property(conversation, capabilities, fc.integer({ min: 1, max: 64_000 }), (more, known, max) => {
      assertTaken(bodyOf(more, known, max));
    }),
    { numRuns: 1_000 },
  );
});

/** The API's rules as documented. */
function assertTaken(body: MessagesBody): void {
  const { messages, thinking } = body;
  expect(messages.map(({ role }) => role)).toEqual(
    messages.map((_, i) => (i % 2 === 0 ? 'user' : 'assistant')),
  );
  const ids: string[] = [];
  for (const [i, { role, content }] of messages.entries()) {
    expect(content).not.toHaveLength(0);
    for (const block of content) assertBlock(block);
    if (role === 'user') continue;
    const calls = content.filter((block) => block.type === 'tool_use').map(({ id }) => id);
    expect(content.slice(content.length - calls.length).every(({ type }) => type === 'tool_use')).toBe(true);
    expect(['thinking', 'redacted_thinking']).not.toContain(content.at(-1)!.type);
    const results = messages[i + 1]?.content.filter((block) => block.type === 'tool_result') ?? [];
    expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(calls);
    expect(messages[i + 1]?.content.slice(0, calls.length) ?? []).toEqual(results);
    ids.push(...calls);
  }
  expect(new Set(ids).size).toBe(ids.length);
  const last = messages.at(-1)!;
  const end = last.content.at(-1)!;
  if (last.role === 'assistant' && end.type === 'text') expect(end.text).toBe(end.text.trimEnd());
  const ttls = marksOf(body).map(({ cache_control }) => cache_control!.ttl ?? '5m');
  expect(ttls.length).toBeLessThanOrEqual(4);
  expect(ttls).toEqual(ttls.toSorted());
  expect(body.stop_sequences ?? []).not.toContainEqual(expect.stringMatching(/^\s*$/));
  if (body.tool_choice) expect(body.tools).not.toHaveLength(0);
  if (thinking?.type === 'enabled') {
    expect(thinking.budget_tokens).toBeGreaterThanOrEqual(1_024);
    expect(thinking.budget_tokens).toBeLessThan(body.max_tokens);
  }
  const answers = last.content[0]!.type === 'tool_result';
  const open = last.role === 'assistant' ? last : answers ? messages.at(-2) : undefined;
  const thoughts = open?.content.filter(({ type }) => type.endsWith('thinking')) ?? [];
  if (!thinking || thinking.type === 'disabled') expect(thoughts).toEqual([]);
  if (thinking?.type === 'enabled' && open) expect(open.content[0]).toBe(thoughts[0]);
  if (thinking?.type === 'enabled' || body.output_config?.format) expect(last.role).toBe('user');
  if (thinking && thinking.type !== 'disabled') {
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('top_k');
    expect(body.top_p ?? 1).toBeGreaterThanOrEqual(0.95);
    expect(['any', 'tool']).not.toContain(body.tool_choice?.type);
  }
  expect(body.temperature ?? 0).toBeLessThanOrEqual(1);
}

function assertBlock(block: Block): void {
  if (block.type === 'text') expect(block.text).toMatch(/\S/);
  if (block.type === 'tool_use') {
    expect(block.id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(Array.isArray(block.input)).toBe(false);
    expect(block.input).toBeInstanceOf(Object);
  }
  if (block.type === 'tool_result') for (const inner of block.content ?? []) assertBlock(inner);
  if (block.type === 'thinking') expect(block.signature).toBe('EqQB');
  if (block.type === 'redacted_thinking') expect(block.data).toBe('EqQB');
}

/** In the prompt's order. */
function marksOf({ tools = [], system = [], messages }: MessagesBody): Cacheable[] {
  const blocks = messages.flatMap(({ content }) =>
    content.flatMap((block): Cacheable[] =>
      block.type === 'tool_result' ? [...(block.content ?? []), block] : [block as Cacheable],
    ),
  );
  return [...tools, ...system, ...blocks].filter(({ cache_control }) => cache_control);
}
