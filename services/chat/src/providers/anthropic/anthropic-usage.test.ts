import { expect, test } from '@jest/globals';
import { fromMessagesUsage, laterUsage } from './anthropic-usage';

const usage = { input_tokens: 10, output_tokens: 5 };

test('cache tokens are in addition to the input, neither counted twice nor lost', () =>
  expect(
    fromMessagesUsage({ ...usage, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }),
  ).toEqual({ input: 10, cacheRead: 100, cacheWrite: 20, output: 5, reasoning: 0 }));

test('1-hour cache writes are distinguished, and never exceed all cache writes', () => {
  const of = (written: number, hour: number) =>
    fromMessagesUsage({
      ...usage,
      cache_creation_input_tokens: written,
      cache_creation: { ephemeral_1h_input_tokens: hour },
    });
  expect(of(20, 15)).toMatchObject({ cacheWrite: 5, cacheWriteLong: 15 });
  expect(of(20, 99)).toMatchObject({ cacheWrite: 0, cacheWriteLong: 20 });
});

test('thinking tokens are part of the output', () =>
  expect(fromMessagesUsage({ ...usage, output_tokens_details: { thinking_tokens: 9 } })).toMatchObject({
    output: 5,
    reasoning: 5,
  }));

test.each([
  ['nothing', undefined],
  ['null', null],
  ['no output', { input_tokens: 1 }],
  ['a fraction', { input_tokens: 1.5, output_tokens: 1 }],
  ['a figure past all measure', { input_tokens: 1, output_tokens: 100_000_001 }],
])('usage is absent in %s', (_, value) => expect(fromMessagesUsage(value)).toBeUndefined());

test('later figures replace earlier ones, unless null or absent', () =>
  expect(
    laterUsage({ ...usage, cache_read_input_tokens: 7 }, { input_tokens: null, output_tokens: 9 }),
  ).toEqual({
    input_tokens: 10,
    output_tokens: 9,
    cache_read_input_tokens: 7,
  }));
