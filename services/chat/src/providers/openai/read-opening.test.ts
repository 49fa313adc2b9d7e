import { describe, expect, test } from '@jest/globals';
import { readOpeningChunk } from './read-opening';

const chunk = (delta: unknown, finish_reason: string | null = null) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason }],
  usage: null,
});

describe('content', () => {
  test.each([
    { content: 'a' },
    { refusal: 'no' },
    { role: 'assistant', content: null, reasoning_content: 'hm' },
    { reasoning: 'hm' },
    { reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2k=' }] },
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, type: 'custom', custom: { name: 'f', input: '' } }] },
    { function_call: { name: 'f', arguments: '' } },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
    { content: [{ type: 'text', text: 'a' }] },
  ])('%j', (delta) => expect(readOpeningChunk(chunk(delta))).toBe('content'));

  test('of any choice counts', () => {
    const choices = [0, 1].map((index) => ({ index, delta: index === 0 ? {} : { content: 'a' } }));
    expect(readOpeningChunk({ choices })).toBe('content');
  });
});

describe('no content', () => {
  test.each([
    {},
    null,
    { role: 'assistant' },
    { role: 'assistant', content: '', refusal: null },
    { content: null, reasoning_content: '', tool_calls: [] },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: '' }], closed: false }] },
    { reasoning_details: [{ type: 'reasoning.text', text: '', format: 'a', index: 0 }] },
  ])('content in %j', (delta) => expect(readOpeningChunk(chunk(delta))).toBe('waiting'));

  test('but the end in a chunk with a finish reason', () => {
    expect(readOpeningChunk(chunk({}, 'stop'))).toBe('finished');
  });

  test.each([{ choices: [], usage: {} }, { choices: 'none' }, {}])('no content in %j', (event) =>
    expect(readOpeningChunk(event)).toBe('waiting'),
  );
});

test.each(['error', 'insufficient_system_resource'])('the finish reason %s is a failure', (reason) => {
  expect(() => readOpeningChunk(chunk({}, reason))).toThrow('failure');
});
