import { expect, test } from '@jest/globals';
import { readOpeningEvent } from './read-opening';

const delta = (value: object) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: value } });

test.each([
  delta({ text: 'a' }),
  delta({ reasoningContent: { text: 'hm' } }),
  delta({ reasoningContent: { signature: 'S' } }),
  delta({ reasoningContent: { redactedContent: 'AA==' } }),
  delta({ toolUse: { input: '{' } }),
  { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'i', name: 'f' } } } },
])('%j is content', (event) => expect(readOpeningEvent(event)).toBe('content'));

test.each([
  { messageStart: { role: 'assistant' } },
  delta({ text: '' }),
  delta({ reasoningContent: { text: '' } }),
  delta({ citation: {} }),
  { contentBlockStart: { contentBlockIndex: 0, start: {} } },
  { contentBlockStop: { contentBlockIndex: 0 } },
  { somethingNew: {} },
])('%j is not content', (event) => expect(readOpeningEvent(event)).toBe('waiting'));

test('a reply without content is complete with its stop if the connection ends too', () =>
  expect(readOpeningEvent({ messageStop: { stopReason: 'end_turn' } })).toBe('finished'));

test('a reply without content ends with its metadata', () =>
  expect(readOpeningEvent({ metadata: { usage: {} } })).toBe('ended'));

test('a reply without content that failed is an error', () =>
  expect(() => readOpeningEvent({ messageStop: { stopReason: 'malformed_tool_use' } })).toThrow(
    'malformed_tool_use',
  ));
