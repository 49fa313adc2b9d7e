import { describe, expect, test } from '@jest/globals';
import { readCompletion } from './read-completion';

const completion = (message: object, finish_reason: string | null = 'stop') => ({
  id: 'c-1',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
});
const read = (message: object, finish_reason?: string | null) =>
  readCompletion(completion(message, finish_reason));
const text = (words: string) => ({ kind: 'text', text: words });
const called = (id: string, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});

test('text', () => {
  expect(read({ content: 'hi' })).toEqual({ parts: [text('hi')], stop: 'end' });
  expect(read({ content: null })).toEqual({ parts: [], stop: 'end' });
});

test.each(['tired', '__proto__', 'constructor'])('an unknown finish reason is a normal end: %s', (reason) => {
  expect(read({ content: 'hi' }, reason).stop).toBe('end');
});

test.each([
  [{ reasoning_content: 'hm' }],
  [{ reasoning: 'hm' }],
  [{ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }],
])('thinking in %j', (fields) => {
  expect(read({ ...fields, content: 'ok' }).parts).toEqual([{ kind: 'thinking', text: 'hm' }, text('ok')]);
});

test('thinking and text as parts of the content', () => {
  const content = [
    {
      type: 'thinking',
      thinking: [
        { type: 'text', text: 'h' },
        { type: 'text', text: 'm' },
      ],
    },
    { type: 'reference', reference_ids: [1] },
    { type: 'text', text: 'ok' },
  ];
  expect(read({ content }).parts).toEqual([{ kind: 'thinking', text: 'hm' }, text('ok')]);
});

test('a refusal', () => {
  expect(read({ content: null, refusal: 'No.' })).toEqual({ parts: [text('No.')], stop: 'refusal' });
  expect(read({ content: '' }, 'content_filter').stop).toBe('refusal');
});

describe('tool calls', () => {
  test('with their arguments as text or as an object', () => {
    expect(
      read({ content: null, tool_calls: [called('a', '{"x":1}'), called('b', { x: 1 })] }, 'tool_calls'),
    ).toEqual({
      parts: ['a', 'b'].map((id) => ({ kind: 'tool_call', id, name: 'f', arguments: '{"x":1}' })),
      stop: 'tool_calls',
    });
  });

  test('forced ones end with stop but are tool calls', () => {
    expect(read({ tool_calls: [called('a')] }, 'stop').stop).toBe('tool_calls');
    expect(read({ tool_calls: [called('a')] }, 'length').stop).toBe('length');
  });

  test('an empty list beside content has none', () => {
    expect(read({ content: 'ok', tool_calls: [] })).toEqual({ parts: [text('ok')], stop: 'end' });
  });

  test('without ids get the same ids for the same reply', () => {
    const { parts } = read({ tool_calls: [called(''), called('')] });
    const ids = parts.map((part) => part.kind === 'tool_call' && part.id);
    expect(new Set(ids).size).toBe(2);
    expect(read({ tool_calls: [called(''), called('')] }).parts).toEqual(parts);
  });

  test("signed as Google's endpoint signs them", () => {
    const call = { ...called('a'), extra_content: { google: { thought_signature: 'S' } } };
    expect(read({ tool_calls: [call] }).parts[0]).toMatchObject({
      signature: { wire: 'openai', value: 'S' },
    });
  });
});

test.each([
  ['length', 'length'],
  ['model_length', 'context_full'],
  ['function_call', 'end'],
  ['tool_calls', 'end'],
  ['what_is_this', 'end'],
  [null, 'end'],
])('%s is %s', (finishReason, stop) => {
  expect(read({ content: 'x' }, finishReason).stop).toBe(stop);
});

test.each([
  ['no choices', { id: 'c-1' }],
  ['no message', { choices: [{ index: 0 }] }],
  ['no message, although it ended as usual', { choices: [{ index: 0, finish_reason: 'stop' }] }],
  ['a call without a name', completion({ tool_calls: [{ id: 'a', function: {} }] })],
  ['a failure', completion({ content: 'x' }, 'insufficient_system_resource')],
  ['too many calls', completion({ tool_calls: Array(2_000).fill(called('a')) })],
])('%s is not a completion', (_name, reply) => {
  expect(() => readCompletion(reply)).toThrow(Error);
});
