import { expect, test } from '@jest/globals';
import { readCohereUsage } from './cohere-usage';

const tokens = { input_tokens: 496, output_tokens: 11 };

test('billed units take precedence, and cached tokens are not subtracted from them', () => {
  const usage = { billed_units: { input_tokens: 1, output_tokens: 9 }, tokens, cached_tokens: 448 };
  expect(readCohereUsage(usage)).toEqual({
    input: 1,
    cache_read: 0,
    cache_write: 0,
    output: 9,
    reasoning: 0,
  });
});

test.each([
  [undefined, 496],
  [null, 496],
  [{}, 496],
  [{ input_tokens: 0, output_tokens: 0 }, 496],
  [{ input_tokens: 1 }, 1],
  [{ input_tokens: 1, output_tokens: 1e12 }, 1],
])('tokens count for what is missing in the billed units %j', (billed_units, input) => {
  expect(readCohereUsage({ billed_units, tokens })).toMatchObject({ input, output: 11 });
});

test.each([{ input_tokens: 4 }, { output_tokens: 4 }])('part of the figures, such as %j, is kept', (part) => {
  const usage = readCohereUsage({ tokens: part });
  expect([usage?.input, usage?.output].toSorted()).toEqual([0, 4]);
});

test.each([undefined, null, 'x', {}, { tokens: {} }])('usage %j is none', (usage) => {
  expect(readCohereUsage(usage)).toBeUndefined();
});
