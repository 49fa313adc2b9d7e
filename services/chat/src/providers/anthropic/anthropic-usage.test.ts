import { expect, test } from '@jest/globals';
import { fromMessagesUsage, MessageFigures } from './anthropic-usage';

const usage = { input_tokens: 10, output_tokens: 5 };

test('cache tokens are in addition to the input, neither counted twice nor lost', () =>
  expect(
    fromMessagesUsage({ ...usage, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }),
  ).toEqual({ input: 10, cache_read: 100, cache_write: 20, output: 5, reasoning: 0 }));

test('1-hour cache writes are distinguished, and included in all cache writes', () => {
  const of = (written: number, hour: number) =>
    fromMessagesUsage({
      ...usage,
      cache_creation_input_tokens: written,
      cache_creation: { ephemeral_1h_input_tokens: hour },
    });
  expect(of(20, 15)).toMatchObject({ cache_write: 5, cache_write_1h: 15 });
  expect(of(20, 99)).toMatchObject({ cache_write: 0, cache_write_1h: 99 });
});

test.each([{}, { cache_creation_input_tokens: null }, { cache_creation_input_tokens: 0 }])(
  'cache writes that are reported only by their lifetime are not lost beside %j',
  (created) => {
    const cache_creation = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 12 };
    expect(fromMessagesUsage({ ...usage, ...created, cache_creation })).toMatchObject({
      input: 10,
      cache_write: 30,
      cache_write_1h: 12,
    });
  },
);

test('thinking tokens are part of the output', () =>
  expect(fromMessagesUsage({ ...usage, output_tokens_details: { thinking_tokens: 9 } })).toMatchObject({
    output: 5,
    reasoning: 5,
  }));

test.each([
  ['nothing', undefined],
  ['null', null],
  ['no figures', {}],
  ['a fraction', { input_tokens: 1.5 }],
])('usage is absent in %s', (_, value) => expect(fromMessagesUsage(value)).toBeUndefined());

test.each([
  [{ input_tokens: 1 }, { input: 1, output: 0 }],
  [{ output_tokens: 1 }, { input: 0, output: 1 }],
  [
    { input_tokens: 1, output_tokens: 100_000_001 },
    { input: 1, output: 0 },
  ],
])('a figure that is missing in %j is 0', (figures, expected) =>
  expect(fromMessagesUsage(figures)).toMatchObject(expected),
);

test.each<[string, object[], object]>([
  [
    'replace earlier ones, unless null or absent',
    [
      { ...usage, cache_read_input_tokens: 7 },
      { input_tokens: null, output_tokens: 9 },
    ],
    { input: 10, cache_read: 7, output: 9 },
  ],
  [
    'do not replace earlier ones by 0',
    [
      {
        input_tokens: 1_000,
        cache_creation_input_tokens: 500,
        cache_read_input_tokens: 200,
        output_tokens: 1,
      },
      { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 50 },
      { output_tokens: 60 },
    ],
    { input: 1_000, cache_write: 500, cache_read: 200, output: 60 },
  ],
  [
    'do not replace a part of earlier ones by 0',
    [
      { input_tokens: 1_000, cache_read_input_tokens: 200, output_tokens: 90 },
      { input_tokens: 1_000, cache_read_input_tokens: 0, output_tokens: 0 },
    ],
    { input: 1_000, cache_read: 200, output: 90 },
  ],
  [
    'replace an estimate of the whole prompt, and are not added to it',
    [
      { input_tokens: 1_000, output_tokens: 0 },
      { input_tokens: 200, cache_read_input_tokens: 800, output_tokens: 50 },
    ],
    { input: 200, cache_read: 800, output: 50 },
  ],
])('later figures %s', (_rule, events, expected) => {
  const figures = new MessageFigures();
  for (const event of events) figures.add(event);
  expect(figures.usage).toMatchObject(expected);
});
