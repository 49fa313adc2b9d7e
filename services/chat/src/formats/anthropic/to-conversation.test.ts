import { describe, expect, test } from '@jest/globals';
import { parseCountTokens } from './count-tokens';
import { parseMessagesRequest } from './messages-request';

const user = { role: 'user', content: 'hi' };
const valid = { model: 'sim/chat', max_tokens: 100, messages: [user] };
const read = (body: object) =>
  parseMessagesRequest(Buffer.from(JSON.stringify({ ...valid, ...body })), {}).conversation();
const turnsOf = (...messages: object[]) => read({ messages }).turns;
const saidBy = (role: string, ...content: object[]) => turnsOf(user, { role, content })[1]!.parts;
const text = (said: string) => ({ kind: 'text', text: said });
const short = { type: 'ephemeral' };
const hour = { type: 'ephemeral', ttl: '1h' };

test('a minimal request', () => {
  expect(read({})).toEqual({
    system: [],
    turns: [{ role: 'user', parts: [text('hi')] }],
    tools: [],
    toolChoice: { kind: 'auto' },
    output: { kind: 'text' },
    sampling: { stop: [] },
    maxOutputTokens: 100,
    stream: false,
  });
});

test('the sampling parameters', () => {
  const schema = { type: 'object' };
  expect(
    read({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      stream: true,
      output_config: { format: { type: 'json_schema', schema } },
    }),
  ).toMatchObject({
    sampling: { temperature: 0.5, topP: 0.9, topK: 40, stop: ['END'] },
    endUser: 'u',
    stream: true,
    output: { kind: 'schema', schema, strict: true },
  });
  expect(read({ top_k: 0 }).sampling.topK).toBeUndefined();
  expect(read({ output_format: { type: 'json_schema', schema } }).output).toMatchObject({ schema });
});

test('unsupported hints are dropped', () => {
  const hints = {
    cache_control: short,
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    diagnostics: {},
    service_tier: 'standard_only',
    speed: 'standard',
    inference_geo: 'global',
  };
  expect(read(hints)).toEqual(read({}));
});

test.each([
  [{ thinking: { type: 'enabled', budget_tokens: 50 } }, { budgetTokens: 50 }],
  [
    { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    { adaptive: true, effort: 'max' },
  ],
  [{ thinking: { type: 'between_tools' } }, { adaptive: true }],
  [{ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }, { effort: 'none' }],
  [{ output_config: { effort: 'low' } }, { effort: 'low' }],
  [{ output_config: {} }, undefined],
])('reasoning: %j', (body, reasoning) => {
  expect(read(body).reasoning).toEqual(reasoning);
});

test.each([
  [{ type: 'auto' }, { kind: 'auto' }],
  [{ type: 'any' }, { kind: 'required' }],
  [{ type: 'none' }, { kind: 'none' }],
  [
    { type: 'tool', name: 'f' },
    { kind: 'tool', name: 'f' },
  ],
])('tool choice %j', (tool_choice, toolChoice) => {
  expect(read({ tool_choice })).toMatchObject({ toolChoice });
  expect(read({ tool_choice }).parallelToolCalls).toBeUndefined();
});

test('disable_parallel_tool_use', () => {
  expect(read({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }).parallelToolCalls).toBe(
    false,
  );
});

test('custom tools', () => {
  const input_schema = { type: 'object', properties: {} };
  const tools = [
    { name: 'f', description: 'd', input_schema, strict: true, cache_control: short, input_examples: [{}] },
    { type: 'custom', name: 'g', input_schema, defer_loading: true },
  ];
  expect(read({ tools }).tools).toEqual([
    { name: 'f', description: 'd', parameters: input_schema, strict: true, cache: { ttl: '5m' } },
    { name: 'g', parameters: input_schema },
  ]);
});

describe('system instructions', () => {
  test('before the first turn', () => {
    expect(read({ system: 'be brief' }).system).toEqual([text('be brief')]);
    const system = [{ type: 'text', text: 'be brief', cache_control: hour }];
    expect(read({ system }).system).toEqual([{ ...text('be brief'), cache: { ttl: '1h' } }]);
  });

  test('in the middle, until they are cleared', () => {
    const note = { role: 'system', content: 'n', clear_at: 'next_user_message' };
    expect(turnsOf(user, note).map(({ role }) => role)).toEqual(['user', 'system']);
    expect(turnsOf(user, note, user).map(({ role }) => role)).toEqual(['user', 'user']);
    expect(turnsOf(user, { role: 'system', content: [{ type: 'text', text: 'n' }] })[1]).toEqual({
      role: 'system',
      parts: [text('n')],
    });
    const onlyEffort = { role: 'system', output_config: { effort: 'low' } };
    expect(turnsOf(user, onlyEffort)).toHaveLength(1);
  });
});

describe('user content', () => {
  test('with images and documents', () => {
    const data = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const pdf = { type: 'url', url: 'https://example.com/y.pdf' };
    expect(
      saidBy(
        'user',
        { type: 'image', source: data, cache_control: short },
        { type: 'document', source: pdf, title: 'T', context: 'about' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
        {
          type: 'document',
          title: 'P',
          source: {
            type: 'content',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image', source: data },
              { type: 'text', text: 'b' },
            ],
          },
        },
        {
          type: 'search_result',
          title: 'T',
          source: 'https://x',
          content: [{ type: 'text', text: 'found' }],
        },
      ),
    ).toEqual([
      {
        kind: 'image',
        source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
        cache: { ttl: '5m' },
      },
      text('about'),
      { kind: 'document', source: { kind: 'url', url: 'https://example.com/y.pdf' }, title: 'T' },
      { kind: 'document', source: { kind: 'text', text: 'plain' } },
      { kind: 'document', source: { kind: 'text', text: 'a' }, title: 'P' },
      { kind: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { kind: 'document', source: { kind: 'text', text: 'b' } },
      text('T\nhttps://x\n\nfound'),
    ]);
  });

  test('follows the tool results, which keep their images', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/y.png' } };
    expect(
      saidBy(
        'user',
        { type: 'text', text: 'so?' },
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [image, { type: 'tool_reference', tool_name: 'f' }],
        },
        { type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true, cache_control: short },
        { type: 'tool_result', tool_use_id: 'c' },
      ),
    ).toEqual([
      {
        kind: 'tool_result',
        callId: 'a',
        parts: [{ kind: 'image', source: { kind: 'url', url: 'https://example.com/y.png' } }, text('f')],
        isError: false,
      },
      { kind: 'tool_result', callId: 'b', parts: [text('no')], isError: true, cache: { ttl: '5m' } },
      { kind: 'tool_result', callId: 'c', parts: [], isError: false },
      text('so?'),
    ]);
  });
});

describe('assistant content', () => {
  const call = { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } };

  test('names the provider of each signature', () => {
    expect(
      saidBy(
        'assistant',
        { type: 'thinking', thinking: 'hm', signature: 'OWN' },
        { type: 'thinking', thinking: '', signature: 'gw1.gemini.G' },
        { type: 'thinking', thinking: 'hm', signature: 'gw1.openai.' },
        { type: 'redacted_thinking', data: 'R' },
        { type: 'text', text: 'x' },
      ),
    ).toEqual([
      { kind: 'thinking', text: 'hm', signature: { wire: 'anthropic', value: 'OWN' } },
      { kind: 'thinking', text: '', signature: { wire: 'gemini', value: 'G' } },
      { kind: 'thinking', text: 'hm' },
      { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'R' } },
      text('x'),
    ]);
  });

  test('keeps the signature of a tool call on the call', () => {
    const proof = { type: 'thinking', thinking: '', signature: 'gw1.gemini.~call~G' };
    expect(saidBy('assistant', proof, call, { ...call, id: 'b' })).toEqual([
      {
        kind: 'tool_call',
        id: 'a',
        name: 'f',
        arguments: '{"x":1}',
        signature: { wire: 'gemini', value: 'G' },
      },
      { kind: 'tool_call', id: 'b', name: 'f', arguments: '{"x":1}' },
    ]);
  });
});

const unsupported: [string, object, string][] = [
  [
    'a tool of Anthropic’s',
    { tools: [{ type: 'bash_20250124', name: 'bash' }] },
    'the tool type bash_20250124',
  ],
  [
    'a server tool’s use',
    { messages: [{ role: 'assistant', content: [{ type: 'server_tool_use' }] }, user] },
    'a server_tool_use block',
  ],
  [
    'a server tool’s result',
    { messages: [{ role: 'user', content: [{ type: 'web_search_tool_result' }] }] },
    'a web_search_tool_result block',
  ],
  [
    'a compacted conversation',
    { messages: [{ role: 'assistant', content: [{ type: 'compaction', content: 'x' }] }, user] },
    'a compaction block',
  ],
  [
    'a change of tools',
    { messages: [user, { role: 'system', content: [{ type: 'tool_removal' }] }] },
    'a tool_removal block',
  ],
  [
    'a call that the user makes',
    { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }] },
    'a tool_use block',
  ],
  [
    'citations',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: true } }],
        },
      ],
    },
    'citations',
  ],
];

describe('content that matters and that no other format can express is rejected', () => {
  test.each([...unsupported, ['filling the cache', { max_tokens: 0 }, 'max_tokens 0'] as const])(
    '%s',
    (_name, body, what) => {
      expect(() => read(body)).toThrow(
        expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining(what) }),
      );
    },
  );

  test.each(unsupported)('but is accepted for counting: %s', (_name, body) => {
    const { max_tokens, ...counted } = { ...valid, ...body };
    const { conversation } = parseCountTokens(Buffer.from(JSON.stringify(counted)));
    expect(conversation.turns.length + conversation.tools.length).toBeGreaterThan(0);
  });
});

test('a count request needs the parameters of a message request, except max_tokens', () => {
  const { max_tokens, ...counted } = valid;
  const tools = [{ name: 'f', input_schema: {} }];
  expect(parseCountTokens(Buffer.from(JSON.stringify({ ...counted, tools })))).toMatchObject({
    model: 'sim/chat',
    conversation: { turns: [{ role: 'user' }] },
    hiddenInputTokens: 346,
  });
  expect(() => parseCountTokens(Buffer.from(JSON.stringify(valid)))).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
});
