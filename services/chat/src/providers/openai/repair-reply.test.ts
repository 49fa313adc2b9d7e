import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { PASSED_TO } from '../../domain/passed-reply.fixture';
import { openAiProvider } from './openai-provider';
import { QUIRKS } from './quirks';

const SLUG = 'mistral/magistral-medium-latest';
const provider = openAiProvider(
  {
    id: 'mistral',
    baseUrl: 'https://example.com/v1',
    apiKey: 'k',
    quirks: QUIRKS.mistral,
    encoding: 'tekken',
    countsByO200k: false,
  },
  new Quota({ limit: 1024 }),
);
const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
const said = (text: string) => ({ type: 'text', text });

describe('a pass-through stream', () => {
  const chunk = (delta: object, more: object = {}) =>
    Buffer.from(
      `data: ${JSON.stringify({
        id: 'r1',
        object: 'chat.completion.chunk',
        model: 'magistral-medium-latest',
        choices: [{ index: 0, delta, finish_reason: null }],
        ...more,
      })}\n\n`,
    );
  const usage = { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109, num_cached_tokens: 64 };
  const pass = (...events: Buffer[]) => {
    const stream = provider.passStream!(
      { model: SLUG, includeUsage: false, chargedNano: () => 0n },
      PASSED_TO,
    );
    const chunks = events.map((event) => {
      const taken = stream.take(event);
      if (taken.kind !== 'pass') throw new Error(taken.kind);
      return JSON.parse(taken.bytes.toString().slice('data: '.length));
    });
    return { chunks, deltas: chunks.map(({ choices }) => choices[0].delta), stream };
  };

  test('has the thinking in reasoning_content and the text as a string', () => {
    const { chunks, deltas, stream } = pass(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: [thinking('Let me ')] }),
      chunk({ content: [thinking('see.'), said('Four')] }),
      chunk({ content: [said(', of course')] }),
      chunk({ content: '.' }, { usage }),
    );
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Let me ' },
      { content: 'Four', reasoning_content: 'see.' },
      { content: ', of course' },
      { content: '.' },
    ]);
    expect(chunks.every(({ model }) => model === SLUG)).toBe(true);
    expect(stream.usage).toMatchObject({ input: 36, cache_read: 64, output: 9 });
    expect(stream.countOutput()).toBeGreaterThan(6);
  });

  test('has a delta without content where the chunk only had an empty part', () => {
    expect(pass(chunk({ content: [{ type: 'thinking', thinking: [], closed: true }] })).deltas).toEqual([
      { content: '' },
    ]);
  });

  test('has tool calls with an index, an id and a type', () => {
    const called = (name: string, text: string | object) => ({ name, arguments: text });
    const { deltas } = pass(
      chunk({
        tool_calls: [
          { id: 'aaaaaaaaa', function: called('f', '{"x":1}') },
          { id: 'bbbbbbbbb', type: null, index: 0, function: called('g', { n: 12345678901234 }) },
        ],
      }),
      chunk({ tool_calls: [{ id: 'bbbbbbbbb', function: called('', ' ') }] }),
      chunk({ tool_calls: [{ function: called('h', '{') }] }),
      chunk({ tool_calls: [{ function: { arguments: '}' } }] }),
    );
    expect(deltas.map(({ tool_calls }) => tool_calls)).toEqual([
      [
        { index: 0, id: 'aaaaaaaaa', type: 'function', function: called('f', '{"x":1}') },
        { index: 1, id: 'bbbbbbbbb', type: 'function', function: called('g', '{"n":12345678901234}') },
      ],
      [{ index: 1, function: { arguments: ' ' } }],
      [
        {
          index: 2,
          id: expect.stringMatching(/^[a-zA-Z0-9_-]+$/),
          type: 'function',
          function: called('h', '{'),
        },
      ],
      [{ index: 2, function: { arguments: '}' } }],
    ]);
  });

  test('has its cached tokens where the format has them', () => {
    const stream = provider.passStream!(
      { model: SLUG, includeUsage: true, chargedNano: () => 1_500n },
      PASSED_TO,
    );
    const taken = stream.take(chunk({ content: '.' }, { usage }));
    expect(JSON.parse((taken as { bytes: Buffer }).bytes.toString().slice(6)).usage).toEqual({
      ...usage,
      prompt_tokens_details: { cached_tokens: 64 },
      cost: 0.0000015,
    });
  });

  test('passes a chunk unchanged when only its text looks like parts', () => {
    const event = chunk({ content: '"content":[{"type":"thinking"}],"tool_calls":[]' });
    const taken = provider.passStream!(
      {
        model: 'magistral-medium-latest',
        includeUsage: false,
        chargedNano: () => 0n,
      },
      PASSED_TO,
    ).take(event);
    expect(taken).toEqual({ kind: 'pass', bytes: event });
  });
});

describe('a complete pass-through reply', () => {
  const pass = (message: object, usage: object = {}) => {
    const value = {
      id: 'r1',
      object: 'chat.completion',
      model: 'magistral-medium-latest',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
      usage,
    };
    const bytes = Buffer.from(JSON.stringify(value));
    return JSON.parse(provider.passReply!({ bytes, value }, SLUG, PASSED_TO).toString());
  };

  test('has the thinking in reasoning_content and the text as a string', () => {
    const reply = pass({ content: [thinking('Let me see.'), said('Four'), said('.')] });
    expect(reply.choices[0].message).toEqual({
      role: 'assistant',
      content: 'Four.',
      reasoning_content: 'Let me see.',
    });
    expect(reply.model).toBe(SLUG);
  });

  test('has empty content where the model only thought', () => {
    expect(pass({ content: [thinking('Hm')] }).choices[0].message).toEqual({
      role: 'assistant',
      content: '',
      reasoning_content: 'Hm',
    });
  });

  test('has tool calls with a type and arguments as text', () => {
    const { message } = pass({
      content: '',
      tool_calls: [{ id: 'aaaaaaaaa', function: { name: 'f', arguments: { x: 1 } } }],
    }).choices[0];
    expect(message.tool_calls).toEqual([
      { id: 'aaaaaaaaa', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    ]);
  });

  test('is unchanged when it needs no repair', () => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
    expect(pass({ content: null, tool_calls }).choices[0].message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls,
    });
  });
});

test.each([
  [{ num_cached_tokens: 64 }],
  [{ prompt_tokens_details: { cached_tokens: 64 } }],
  [{ prompt_tokens_details: { cached_tokens: 64 }, num_cached_tokens: 64 }],
  [{ prompt_tokens_details: { cached_tokens: 0 }, num_cached_tokens: 64 }],
])('cached tokens are read from %j', (fields) => {
  const usage = { prompt_tokens: 100, completion_tokens: 9, ...fields };
  expect(provider.readUsage({ usage })).toMatchObject({ input: 36, cache_read: 64 });
});
