import { expect, test } from '@jest/globals';
import { readCohereUsage } from './cohere-usage';

const tokens = { input_tokens: 496, output_tokens: 11 };

test('billed units take precedence, and cached tokens are not subtracted from them', () => {
  const usage = { billed_units: { input_tokens: 1, output_tokens: 9 }, tokens, cached_tokens: 448 };
  expect(readCohereUsage(usage)).toEqual({
    input: 1,
    cacheRead: 0,
    cacheWrite: 0,
    output: 9,
    reasoning: 0,
  });
});

test.each([undefined, null, {}, { input_tokens: 1 }, { input_tokens: 1, output_tokens: 1e12 }])(
  'tokens count if the billed units are %j',
  (billed_units) => {
    expect(readCohereUsage({ billed_units, tokens })).toMatchObject({ input: 496, output: 11 });
  },
);

test.each([undefined, null, 'x', {}, { tokens: {} }])('usage %j is none', (usage) => {
  expect(readCohereUsage(usage)).toBeUndefined();
});
