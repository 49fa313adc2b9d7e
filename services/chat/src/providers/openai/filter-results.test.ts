import { expect, test } from '@jest/globals';
import { withoutFilterResults } from './filter-results';

const chunk = (fields: object) =>
  Buffer.from(`data: ${JSON.stringify({ id: '', model: '', ...fields })}\n\n`);
const content_filter_offsets = { check_offset: 0, start_offset: 0, end_offset: 9 };
const prompt_filter_results = [{ prompt_index: 0, content_filter_results: {} }];
const delta = { content: 'a' };

test.each([
  ['the results for the prompt', { choices: [], prompt_filter_results, usage: null }],
  [
    'the results for text',
    { choices: [{ index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets }] },
  ],
])('a chunk with only %s is dropped', (_what, fields) =>
  expect(withoutFilterResults(chunk(fields))).toBeUndefined(),
);

test.each([
  ['text', { choices: [{ index: 0, delta }] }],
  [
    'text that names a member of the results',
    { choices: [{ index: 0, delta: { content: '"prompt_filter_results"' } }] },
  ],
  ['text and results', { choices: [{ index: 0, delta, content_filter_offsets }], prompt_filter_results }],
  ['usage', { choices: [], prompt_filter_results, usage: { prompt_tokens: 1 } }],
  ['an error', { error: { message: 'x' }, prompt_filter_results }],
])('a chunk with %s is not changed', (_what, fields) => {
  const event = chunk(fields);
  expect(withoutFilterResults(event)).toBe(event);
});

test('an event that is not JSON is not changed', () => {
  const event = Buffer.from('data: {"prompt_filter_results"\n\n');
  expect(withoutFilterResults(event)).toBe(event);
});

test('a finish reason without a delta gets an empty one', () => {
  const choice = { index: 0, finish_reason: 'content_filter', content_filter_offsets };
  const event = withoutFilterResults(chunk({ choices: [choice] }))!;
  expect(JSON.parse(event.toString().slice(6)).choices).toEqual([{ ...choice, delta: {} }]);
});
