import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import type { Conversation } from '../../domain/conversation';
import { parseChatRequest } from './chat-request';
import { readToolChoice } from './read-tools';

const user = { role: 'user', content: 'hi' };

function read(fields: object): Conversation {
  const body = { model: 'anthropic/x', messages: [user], ...fields };
  return parseChatRequest(Buffer.from(JSON.stringify(body))).conversation();
}

const turnsOf = (...messages: object[]) => read({ messages }).turns;
const partsOf = (...content: object[]) => turnsOf({ role: 'user', content })[0]?.parts;

function refusalOf(fields: object): string | undefined {
  try {
    read(fields);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.code} ${error.param ?? error.detail}`;
  }
}

const text = (words: string) => ({ kind: 'text', text: words });
const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
  ...more,
});
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });

test('a minimal request', () => {
  expect(read({})).toEqual({
    system: [],
    turns: [{ role: 'user', parts: [text('hi')] }],
    tools: [],
    toolChoice: { kind: 'auto' },
    output: { kind: 'text' },
    sampling: { stop: [] },
    stream: false,
  });
});

describe('instructions', () => {
  test('at the start become the system prompt, later ones keep their position', () => {
    const { system, turns } = read({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: [{ type: 'text', text: 'b' }] },
        user,
        { role: 'system', content: 'c' },
      ],
    });
    expect(system).toEqual([text('a'), text('b')]);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'system']);
  });

  test('contain only text', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/y.png' } };
    expect(refusalOf({ messages: [{ role: 'system', content: [image] }, user] })).toMatch(/^invalid_request/);
  });
});

describe('media', () => {
  test('an image URL with its detail', () => {
    expect(
      partsOf({ type: 'image_url', image_url: { url: 'https://example.com/y.png', detail: 'low' } }),
    ).toEqual([{ kind: 'image', source: { kind: 'url', url: 'https://example.com/y.png' }, detail: 'low' }]);
  });

  test('an image in a data URL', () => {
    expect(partsOf({ type: 'image_url', image_url: { url: 'data:image/PNG;base64,AAAA' } })).toEqual([
      { kind: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ]);
  });

  test.each(['data:image/svg+xml,%3Csvg%3E', 'file:///etc/passwd', 'gs://bucket/x', 'AAAA'])(
    'an image URL of another kind is rejected: %s',
    (url) => {
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
      expect(refusalOf({ messages })).toMatch(/^invalid_request messages\[0\].content\[0\]/);
    },
  );

  test('audio', () => {
    expect(partsOf({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })).toEqual([
      { kind: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: 'AAAA' } },
    ]);
  });

  test.each([
    ['a PDF', { file_data: 'data:application/pdf;base64,JVBERi0x', filename: 'a.pdf' }],
    ['a bare PDF', { file_data: 'JVBERi0x', filename: 'a.pdf' }],
  ])('%s', (_name, file) => {
    expect(partsOf({ type: 'file', file })).toEqual([
      {
        kind: 'document',
        source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0x' },
        title: 'a.pdf',
      },
    ]);
  });

  test('a text file', () => {
    const data = Buffer.from('größer').toString('base64');
    expect(partsOf({ type: 'file', file: { file_data: `data:text/plain;base64,${data}` } })).toEqual([
      { kind: 'document', source: { kind: 'text', text: 'größer' } },
    ]);
  });

  test.each([
    ['an uploaded file', { file_id: 'file-1' }],
    ['a file without data', {}],
    ['a file of another kind', { file_data: 'data:application/zip;base64,AAAA' }],
  ])('%s is rejected', (_name, file) => {
    expect(refusalOf({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] })).toMatch(
      /^invalid_request/,
    );
  });

  test("a cache hint, in the extension or OpenAI's own field, is never for 1 hour", () => {
    const hinted = { ...text('a'), cache: { ttl: '5m' } };
    expect(partsOf({ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } })).toEqual([
      hinted,
    ]);
    expect(partsOf({ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } })).toEqual([
      hinted,
    ]);
    const message = { role: 'user', content: 'a', cache_control: { type: 'ephemeral' } };
    expect(turnsOf(message)[0]?.parts).toEqual([hinted]);
  });
});

describe('tool calls and results', () => {
  test('results of one turn are grouped, with their images', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/y.png' } };
    const turns = turnsOf(
      user,
      { role: 'assistant', content: 'look', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }, image] },
      user,
    );
    expect(turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          text('look'),
          { kind: 'tool_call', id: 'a', name: 'f', arguments: '{}' },
          { kind: 'tool_call', id: 'b', name: 'f', arguments: '{}' },
        ],
      },
      {
        role: 'user',
        parts: [
          { kind: 'tool_result', callId: 'a', parts: [text('one')], isError: false },
          {
            kind: 'tool_result',
            callId: 'b',
            parts: [
              text('two'),
              { kind: 'image', source: { kind: 'url', url: 'https://example.com/y.png' } },
            ],
            isError: false,
          },
        ],
      },
      { role: 'user', parts: [text('hi')] },
    ]);
  });

  test('of legacy functions', () => {
    const [, called, answered] = turnsOf(
      user,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"x":1}' } },
      { role: 'function', name: 'f', content: 'one' },
    );
    const [part] = called?.parts ?? [];
    expect(part).toMatchObject({ kind: 'tool_call', name: 'f', arguments: '{"x":1}' });
    expect(answered?.parts[0]).toMatchObject({
      kind: 'tool_result',
      callId: part?.kind === 'tool_call' && part.id,
    });
  });

  test('results without a call are rejected', () => {
    expect(refusalOf({ messages: [user, { role: 'tool', content: 'x' }] })).toBe(
      'missing_parameter messages[1].tool_call_id',
    );
    expect(refusalOf({ messages: [user, { role: 'function', name: 'f', content: 'x' }] })).toMatch(
      /^invalid_request/,
    );
  });
});

describe('assistant thinking', () => {
  const partsWith = (fields: object) =>
    turnsOf(user, { role: 'assistant', content: 'ok', ...fields })[1]?.parts;

  test.each(['reasoning_content', 'reasoning'])('in %s', (field) => {
    expect(partsWith({ [field]: 'hm' })).toEqual([{ kind: 'thinking', text: 'hm' }, text('ok')]);
  });

  test('with signatures, each of its own provider', () => {
    const details = [
      { type: 'reasoning.text', text: 'hm', signature: 'gw1.anthropic.S', index: 0 },
      { type: 'reasoning.encrypted', data: 'gw1.anthropic.D', index: 1 },
      { type: 'reasoning.text', signature: 'T', index: 2 },
    ];
    expect(partsWith({ reasoning_content: 'hm', reasoning_details: details })).toEqual([
      { kind: 'thinking', text: 'hm', signature: { wire: 'anthropic', value: 'S' } },
      { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'D' } },
      { kind: 'thinking', text: '', signature: { wire: 'openai', value: 'T' } },
      text('ok'),
    ]);
  });

  test('as a client collected it from a stream', () => {
    const details = [
      { type: 'reasoning.text', text: 'h', index: 0 },
      { type: 'reasoning.text', text: 'm', index: 0 },
      { type: 'reasoning.text', text: '', signature: 'gw1.anthropic.S', index: 0 },
      { type: 'reasoning.text', text: 'so', index: 1 },
    ];
    expect(partsWith({ reasoning_details: details })).toEqual([
      { kind: 'thinking', text: 'hm', signature: { wire: 'anthropic', value: 'S' } },
      { kind: 'thinking', text: 'so' },
      text('ok'),
    ]);
  });

  test.each([
    ['gw1.anthropic.S', { wire: 'anthropic', value: 'S' }],
    ['S', { wire: 'gemini', value: 'S' }],
  ])('the signature of a tool call in the form %s', (thought_signature, signature) => {
    const tool_calls = [call('a', { extra_content: { google: { thought_signature } } })];
    expect(partsWith({ content: null, tool_calls })).toEqual([
      { kind: 'tool_call', id: 'a', name: 'f', arguments: '{}', signature },
    ]);
  });

  test('a refusal becomes text', () => {
    expect(turnsOf(user, { role: 'assistant', content: null, refusal: 'No.' })[1]?.parts).toEqual([
      text('No.'),
    ]);
  });

  test('spoken audio is rejected', () => {
    const messages = [user, { role: 'assistant', audio: { id: 'a' } }];
    expect(refusalOf({ messages })).toMatch(/^invalid_request messages\[1\].audio/);
  });
});

describe('tools', () => {
  const tools = [tool('f'), tool('g')];

  test('with and without parameters, and legacy functions', () => {
    const parameters = { type: 'object', properties: { x: { type: 'number' } } };
    const read_ = read({
      tools: [tool('f', { description: 'd', parameters, strict: true })],
      functions: [{ name: 'g' }],
    });
    expect(read_.tools).toEqual([
      { name: 'f', description: 'd', parameters, strict: true },
      { name: 'g', parameters: { type: 'object', properties: {} } },
    ]);
  });

  test.each([
    ['none', { kind: 'none' }],
    ['required', { kind: 'required' }],
    ['any', { kind: 'required' }],
    [
      { type: 'function', function: { name: 'g' } },
      { kind: 'tool', name: 'g' },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('f')] } },
      { kind: 'allowed', names: ['f'], required: true },
    ],
  ])('a tool selected by %j', (tool_choice, expected) => {
    expect(read({ tools, tool_choice }).toolChoice).toEqual(expected);
  });

  test('legacy functions are called one at a time', () => {
    expect(read({ functions: [{ name: 'g' }] }).parallelToolCalls).toBe(false);
  });

  test('the legacy function_call selects one', () => {
    expect(read({ functions: [{ name: 'g' }], function_call: { name: 'g' } }).toolChoice).toEqual({
      kind: 'tool',
      name: 'g',
    });
  });

  test.each([
    ['one that is not there', { tools, tool_choice: { type: 'function', function: { name: 'h' } } }],
    ['any of none', { tool_choice: 'required' }],
    ['an unknown word', { tools, tool_choice: 'some' }],
    ['a custom one', { tools, tool_choice: { type: 'custom', custom: { name: 'f' } } }],
    [
      'a hosted one',
      { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [{ type: 'mcp' }] } } },
    ],
    ['none at all', { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [] } } }],
  ])('choosing %s is rejected', (_name, fields) => {
    expect(refusalOf(fields)).toMatch(/^invalid_request tool_choice/);
  });
});

test('with thousands of tools each name is looked up once', () => {
  const names = Array.from({ length: 200_000 }, (_, index) => `f${index}`);
  const tools = names.map((name) => ({
    ...{ name, description: undefined, parameters: {}, strict: undefined, cache: undefined },
  }));
  const allowed_tools = { mode: 'auto', tools: names.toReversed().map((name) => tool(name)) };
  const body = { model: 'a/b', messages: [], tool_choice: { type: 'allowed_tools', allowed_tools } };
  expect(readToolChoice(body, tools)).toMatchObject({ kind: 'allowed' });
});

describe('the arguments of tool calls', () => {
  const calling = (...texts: string[]) => ({
    messages: [
      user,
      {
        role: 'assistant',
        tool_calls: texts.map((text, index) =>
          call(`c${index}`, { function: { name: 'f', arguments: text } }),
        ),
      },
    ],
  });
  const listOf = (count: number, entry: (index: number) => unknown) =>
    JSON.stringify({ a: Array.from({ length: count }, (_, index) => entry(index)) });

  test('may be large', () => {
    const texts = Array.from({ length: 5_000 }, (_, index) =>
      listOf(8, () => ({ path: `${index}`, line: 1 })),
    );
    expect(refusalOf(calling(...texts))).toBeUndefined();
  });

  test.each([
    ['too many values', [listOf(300_000, () => 1)]],
    ['too many values', Array(30).fill(listOf(10_000, () => 1))],
    ['too many values', [`{"a": [${'{},'.repeat(300_000)}`]],
    ['too many different keys', [listOf(25_000, (index) => ({ [`key ${index}`]: 1 }))]],
  ])('is rejected with %s', (many, texts) => {
    expect(refusalOf(calling(...texts))).toBe(`invalid_request ${many} in the arguments of tool calls`);
  });

  test('are also counted in the legacy field', () => {
    const function_call = { name: 'f', arguments: listOf(300_000, () => 1) };
    expect(refusalOf({ messages: [user, { role: 'assistant', content: null, function_call }] })).toMatch(
      /too many/,
    );
  });
});

test('response parameters', () => {
  const schema = { type: 'object' };
  const response_format = {
    type: 'json_schema',
    json_schema: { name: 'n', description: 'd', schema, strict: true },
  };
  expect(read({ response_format }).output).toEqual({
    kind: 'schema',
    name: 'n',
    description: 'd',
    schema,
    strict: true,
  });
  expect(read({ response_format: { type: 'json_object' } }).output).toEqual({ kind: 'json' });
  expect(read({ response_format: { type: 'text' } }).output).toEqual({ kind: 'text' });
});

test('sampling parameters', () => {
  const read_ = read({
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 1,
    frequency_penalty: -1,
    seed: 7,
    stop: 'x',
    max_completion_tokens: 5,
    reasoning_effort: 'low',
    parallel_tool_calls: false,
    stream: true,
    safety_identifier: 'u',
    user: 'v',
  });
  expect(read_).toMatchObject({
    sampling: { temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1, seed: 7, stop: ['x'] },
    maxOutputTokens: 5,
    reasoning: { effort: 'low' },
    parallelToolCalls: false,
    stream: true,
    endUser: 'u',
  });
  expect(read({ metadata: { user_id: 'w' }, stop: ['', 'y'] })).toMatchObject({
    endUser: 'w',
    sampling: { stop: ['y'] },
  });
});

describe('parameters that no other format can express', () => {
  test.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['top_logprobs', { top_logprobs: 3 }],
    ['logit_bias', { logit_bias: { 1: -100 } }],
    ['moderation', { moderation: { model: 'm' } }],
    ['service_tier', { service_tier: 'flex' }],
    ['tools[0]', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
  ])('%s is rejected by name', (field, fields) => {
    expect(refusalOf(fields)).toBe(
      `invalid_request ${field}: ${field.startsWith('tools') ? 'custom tools are ' : ''}not supported by this model`,
    );
  });

  test.each([
    { n: 1, logprobs: false, top_logprobs: 0, logit_bias: {}, service_tier: 'auto' },
    { prediction: { type: 'content', content: 'x' }, store: true, verbosity: 'low' },
    { prompt_cache_key: 'k', prompt_cache_options: {}, prompt_cache_retention: '24h', metadata: { a: 'b' } },
  ])('%j is dropped', (fields) => {
    expect(read(fields)).toEqual(read({}));
  });
});

describe('fields that only some providers document', () => {
  const read = (fields: object) =>
    parseChatRequest(
      Buffer.from(
        JSON.stringify({ model: 'sim/chat', messages: [{ role: 'user', content: 'x' }], ...fields }),
      ),
    ).conversation();

  test.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2_048 } }, { budgetTokens: 2_048 }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ thinking: { type: 'adaptive' } }, { adaptive: true }],
    [{ reasoning: { effort: 'high' } }, { effort: 'high' }],
    [{ reasoning: { max_tokens: 4_000 } }, { budgetTokens: 4_000 }],
    [{ reasoning: { enabled: false } }, { effort: 'none' }],
    [{ enable_thinking: true }, { adaptive: true }],
    [{ thinking: { type: 'disabled' }, reasoning_effort: 'low' }, { effort: 'low' }],
    [{ thinking: null, reasoning: null }, undefined],
  ])('%j sets the reasoning effort', (fields, reasoning) => {
    expect(read(fields).reasoning).toEqual(reasoning);
  });

  test('top_k and random_seed are translated', () => {
    expect(read({ top_k: 40, random_seed: 7 }).sampling).toMatchObject({ topK: 40, seed: 7 });
    expect(read({ top_k: 0, random_seed: 7, seed: 8 }).sampling).toMatchObject({ topK: undefined, seed: 8 });
  });

  test.each([
    { min_p: 0.1 },
    { repetition_penalty: 1.2 },
    { safe_prompt: true },
    { prompt_mode: 'reasoning' },
    { chat_template_kwargs: { x: 1 } },
  ])('%j is rejected by name where no other format has it', (fields) => {
    const detail = `${Object.keys(fields)[0]}: not supported by this model`;
    expect(() => read(fields)).toThrow(expect.objectContaining({ code: 'invalid_request', detail }));
    const neutral = {
      min_p: 0,
      repetition_penalty: 1,
      safe_prompt: false,
      prompt_mode: null,
      chat_template_kwargs: {},
    };
    expect(() => read(neutral)).not.toThrow();
  });
});
