import { expect, test } from '@jest/globals';
import { readOpeningEvent } from './read-opening';

const begin = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block });
const delta = (fields: object) => ({ type: 'content_block_delta', index: 0, delta: fields });

test.each([
  begin({ type: 'tool_use', id: 't', name: 'f', input: {} }),
  begin({ type: 'server_tool_use', id: 't', name: 'web_search', input: {} }),
  begin({ type: 'redacted_thinking', data: 'c2k=' }),
  begin({ type: 'text', text: 'a' }),
  delta({ type: 'text_delta', text: 'a' }),
  delta({ type: 'thinking_delta', thinking: 'hm' }),
  delta({ type: 'signature_delta', signature: 'c2k=' }),
  delta({ type: 'input_json_delta', partial_json: '{' }),
  delta({ type: 'citations_delta', citation: { type: 'char_location' } }),
  { type: 'message_start', message: { content: [{ type: 'text', text: 'a' }] } },
])('%j is content', (event) => expect(readOpeningEvent(event)).toBe('content'));

test.each([
  { type: 'message_start', message: { content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'ping' },
  begin({ type: 'text', text: '' }),
  begin({ type: 'thinking', thinking: '', signature: '' }),
  delta({ type: 'text_delta', text: '' }),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 0 } },
  { type: 'content_block_start' },
  {},
])('%j is not content', (event) => expect(readOpeningEvent(event)).toBe('waiting'));

test('a stop reason ends a message without content if the connection ends too', () => {
  const stopped = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 0 } };
  expect(readOpeningEvent(stopped)).toBe('finished');
});

test('the last event ends a message without content', () => {
  expect(readOpeningEvent({ type: 'message_stop' })).toBe('ended');
});
