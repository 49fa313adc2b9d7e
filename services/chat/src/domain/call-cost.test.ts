import { describe, expect, test } from '@jest/globals';
import { boundOf, callPrice, costOf, outputWithin } from './call-cost';
import { NO_USAGE } from './usage';

const price = { inputNano: 1_000_000_001n, outputNano: 4_000_000_000n, cacheReadNano: 100_000_000n };

test('the cost is rounded up once, over all kinds of tokens', () => {
  expect(costOf({ ...NO_USAGE, input: 1 }, price)).toBe(1_001n);
  expect(costOf({ ...NO_USAGE, input: 2, cacheRead: 1, output: 3 }, price)).toBe(
    2_000n + 100n + 12_000n + 1n,
  );
  expect(costOf(NO_USAGE, price)).toBe(0n);
});

test('cache tokens without a price cost the input price', () => {
  expect(costOf({ ...NO_USAGE, cacheWrite: 1_000_000 }, price)).toBe(1_000_000_001n);
});

test('reasoning is part of the output and is not charged twice', () => {
  expect(costOf({ ...NO_USAGE, output: 1_000_000, reasoning: 900_000 }, price)).toBe(4_000_000_000n);
});

test('the bound uses the highest input rate', () => {
  const dearCache = { ...price, cacheWriteNano: 2_000_000_000n };
  expect(boundOf(1_000_000, 1_000_000, price)).toBe(5_000_000_001n);
  expect(boundOf(1_000_000, 0, dearCache)).toBe(2_000_000_000n);
});

test('a long input changes the price of every token, also in the bound', () => {
  const long = { inputNano: 2_000_000_000n, outputNano: 6_000_000_000n };
  const tiered = {
    inputNano: 1_000_000_000n,
    outputNano: 4_000_000_000n,
    longContext: { aboveTokens: 1_000, price: long },
  };
  expect(costOf({ ...NO_USAGE, input: 900, cacheRead: 100, output: 1 }, tiered)).toBe(1_004_000n);
  expect(costOf({ ...NO_USAGE, input: 901, cacheRead: 100, output: 1 }, tiered)).toBe(2_008_000n);
  expect(boundOf(1_001, 1, tiered)).toBe(2_008_000n);
  expect(boundOf(1_000, 1, tiered)).toBe(1_004_000n);
});

test('outputWithin is the inverse of boundOf', () => {
  for (const output of [0, 1, 7, 1_000, 65_536]) {
    const bound = boundOf(123, output, price);
    expect(outputWithin(bound, 123, price)).toBe(output);
    expect(outputWithin(bound - 1n, 123, price)).toBeLessThan(Math.max(1, output));
  }
  expect(outputWithin(0n, 123, price)).toBe(0);
});

test('units are charged at their price, and count for the bound', () => {
  const priced = { ...price, unitNano: new Map([['web_search', 10_000_000n]]) };
  const units = { web_search: 3, web_search_prompt: 1 };
  expect(costOf({ ...NO_USAGE, output: 1, units }, priced)).toBe(30_004_000n);
  expect(costOf({ ...NO_USAGE, output: 1, units }, price)).toBe(4_000n);
  const bound = boundOf(123, 7, priced, units);
  expect(bound).toBe(boundOf(123, 7, price) + 30_000_000n);
  expect(outputWithin(bound, 123, priced, units)).toBe(7);
  expect(outputWithin(29_999_999n, 0, priced, units)).toBe(0);
});

describe('cache writes that last an hour', () => {
  const dear = { ...price, cacheWriteNano: 1_250_000_000n, cacheWriteLongNano: 2_000_000_000n };

  test('have their own price', () => {
    const usage = { ...NO_USAGE, cacheWrite: 1_000_000, cacheWriteLong: 1_000_000 };
    expect(costOf(usage, dear)).toBe(3_250_000_000n);
    expect(costOf(usage, { ...price, cacheWriteNano: 1_250_000_000n })).toBe(2_500_000_000n);
  });

  test('count towards the long-context threshold', () => {
    const tiered = {
      ...dear,
      longContext: { aboveTokens: 10, price: { ...dear, inputNano: 9_000_000_000n } },
    };
    expect(costOf({ ...NO_USAGE, input: 1, cacheWriteLong: 10 }, tiered)).toBe(9_000n + 20_000n);
  });

  test('are part of the bound only for calls that request them', () => {
    expect(boundOf(1_000_000, 0, callPrice(dear, { longCache: true }))).toBe(2_000_000_000n);
    expect(boundOf(1_000_000, 0, callPrice(dear, {}))).toBe(1_250_000_000n);
    const tiered = { ...dear, longContext: { aboveTokens: 1, price: dear } };
    expect(boundOf(1_000_000, 0, callPrice(tiered, {}))).toBe(1_250_000_000n);
  });

  test('are refused if the model has no price for them', () => {
    expect(() => callPrice(price, { longCache: true })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

describe('audio', () => {
  const spoken = {
    ...price,
    audioInputNano: 32_000_000_000n,
    audioCacheReadNano: 3_000_000_000n,
    audioOutputNano: 64_000_000_000n,
  };
  const usage = { ...NO_USAGE, input: 1_000_000, cacheRead: 500_000, output: 2_000_000 };
  const audio = { input: 400_000, cacheRead: 100_000, output: 1_500_000 };
  const text = { ...usage, input: 600_000, cacheRead: 400_000, output: 500_000 };

  test('costs its own prices, and the rest of the same figures costs as text', () => {
    expect(costOf({ ...usage, audio }, spoken)).toBe(
      costOf(text, spoken) + 12_800_000_000n + 300_000_000n + 96_000_000_000n,
    );
  });

  test('costs as much as text without prices of its own, and cached audio as much as audio', () => {
    expect(costOf({ ...usage, audio }, price)).toBe(costOf(usage, price));
    const { audioCacheReadNano: _, ...uncached } = spoken;
    const cached = { ...NO_USAGE, cacheRead: 10, audio: { input: 0, cacheRead: 10, output: 0 } };
    expect(costOf(cached, uncached)).toBe(320_000n);
  });

  test('has no price in a call that needs none, of short and long prompts', () => {
    const tiered = { ...spoken, longContext: { aboveTokens: 1, price: spoken } };
    expect(callPrice(tiered, {})).toEqual({ ...price, longContext: { aboveTokens: 1, price } });
    const { audioOutputNano: _out, ...heard } = spoken;
    expect(callPrice(spoken, { hears: true })).toEqual(heard);
    expect(callPrice(spoken, { speaks: true })).toEqual({ ...price, audioOutputNano: 64_000_000_000n });
  });

  test('is bounded at the highest rates that its tokens may have', () => {
    const text = boundOf(1_000, 0, price);
    expect(boundOf(1_000, 0, spoken)).toBe(text);
    expect(boundOf(1_000, 0, spoken, undefined, 100)).toBe(boundOf(900, 0, price) + 3_200_000n);
    expect(boundOf(0, 1_000, spoken)).toBe(64_000_000n);
  });

  test('is what the output that funds cover is reduced by', () => {
    const bound = boundOf(1_000, 77, spoken, undefined, 100);
    expect(outputWithin(bound, 1_000, spoken, undefined, 100)).toBe(77);
    expect(outputWithin(bound - 1n, 1_000, spoken, undefined, 100)).toBe(76);
  });
});
