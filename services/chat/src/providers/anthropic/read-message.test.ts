import { expect, test } from '@jest/globals';
import { readMessage } from './read-message';

const message = (content: unknown, stop: unknown = 'end_turn') => ({
  type: 'message',
  content,
  stop_reason: stop,
});

test('text, thinking and tool calls keep all that must be sent back', () => {
  const content = [
    { type: 'thinking', thinking: '', signature: 'EqQB' },
    { type: 'thinking', thinking: 'unsigned', signature: '' },
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'text', text: 'Hi', citations: null },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1] } },
    { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
  ];
  expect(readMessage(message(content, 'tool_use'))).toEqual({
    parts: [
      { kind: 'thinking', text: '', signature: { wire: 'anthropic', value: 'EqQB' } },
      { kind: 'thinking', text: 'unsigned' },
      { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'EmwK' } },
      { kind: 'text', text: 'Hi' },
      { kind: 'tool_call', id: 'toolu_1', name: 'f', arguments: '{"a":[1]}' },
      { kind: 'tool_call', id: 'toolu_2', name: 'g', arguments: '{}' },
    ],
    stop: 'tool_calls',
  });
});

test('server tools, empty text and unknown blocks yield nothing', () => {
  const content = [
    { type: 'server_tool_use', id: 's', name: 'web_search' },
    { type: 'text', text: '' },
    null,
  ];
  expect(readMessage(message(content)).parts).toEqual([]);
});

test('the matched stop sequence is read', () =>
  expect(readMessage({ ...message([], 'stop_sequence'), stop_sequence: 'END' })).toEqual({
    parts: [],
    stop: 'stop_sequence',
    stopSequence: 'END',
  }));

test('an id is read as it is, because it has to go back so', () => {
  const { parts } = readMessage(message([{ type: 'tool_use', id: 'a b', name: 'f', input: {} }]));
  expect(parts).toEqual([expect.objectContaining({ id: 'a b' })]);
});

test.each([
  ['no content', message(undefined)],
  ['no stop reason', message([], null)],
  ['an error', { type: 'error', error: { type: 'api_error' } }],
  ['a call without a name', message([{ type: 'tool_use', id: 'a' }])],
])('%s is not a message', (_, value) => expect(() => readMessage(value)).toThrow());
