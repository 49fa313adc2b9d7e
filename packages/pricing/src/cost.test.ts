import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  boundOf,
  callPrice,
  ceilDiv,
  costOf,
  costOfTokens,
  hasRateFor,
  outputWithin,
  type PricedUsage,
} from './cost';
import type { TokenPrice, TokenRates } from './pricing';
import { TOKEN_RATE_NAMES } from './rates';

const NO_USAGE = { input: 0, cache_read: 0, cache_write: 0, output: 0 };
const nanoOf = (usage: PricedUsage, price: TokenPrice): bigint => costOf(usage, price).costNano;

const price = { input: 1_000_000_001n, output: 4_000_000_000n, cache_read: 100_000_000n };

test('the cost is rounded up once, over all kinds of tokens', () => {
  expect(nanoOf({ ...NO_USAGE, input: 1 }, price)).toBe(1_001n);
  expect(nanoOf({ ...NO_USAGE, input: 2, cache_read: 1, output: 3 }, price)).toBe(
    2_000n + 100n + 12_000n + 1n,
  );
  expect(nanoOf(NO_USAGE, price)).toBe(0n);
});

test('cache tokens without a price cost the input price', () => {
  expect(nanoOf({ ...NO_USAGE, cache_write: 1_000_000 }, price)).toBe(1_000_000_001n);
});

test('the bound uses the highest input rate', () => {
  const dearCache = { ...price, cache_write: 2_000_000_000n };
  expect(boundOf(1_000_000, 1_000_000, price)).toBe(5_000_000_001n);
  expect(boundOf(1_000_000, 0, dearCache)).toBe(2_000_000_000n);
});

test('a long input changes the price of every token, also in the bound', () => {
  const long = { input: 2_000_000_000n, output: 6_000_000_000n };
  const tiered = {
    input: 1_000_000_000n,
    output: 4_000_000_000n,
    long_context: { ...long, above_tokens: 1_000 },
  };
  expect(nanoOf({ ...NO_USAGE, input: 900, cache_read: 100, output: 1 }, tiered)).toBe(1_004_000n);
  expect(nanoOf({ ...NO_USAGE, input: 901, cache_read: 100, output: 1 }, tiered)).toBe(2_008_000n);
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
  const priced = { ...price, units: { web_search: 10_000_000n } };
  const units = { web_search: 3, web_search_prompt: 1 };
  expect(nanoOf({ ...NO_USAGE, output: 1, units }, priced)).toBe(30_004_000n);
  expect(nanoOf({ ...NO_USAGE, output: 1, units }, price)).toBe(4_000n);
  const bound = boundOf(123, 7, priced, units);
  expect(bound).toBe(boundOf(123, 7, price) + 30_000_000n);
  expect(outputWithin(bound, 123, priced, units)).toBe(7);
  expect(outputWithin(29_999_999n, 0, priced, units)).toBe(0);
});

describe('cache writes that last an hour', () => {
  const dear = { ...price, cache_write: 1_250_000_000n, cache_write_1h: 2_000_000_000n };

  test('have their own price', () => {
    const usage = { ...NO_USAGE, cache_write: 1_000_000, cache_write_1h: 1_000_000 };
    expect(nanoOf(usage, dear)).toBe(3_250_000_000n);
    expect(nanoOf(usage, { ...price, cache_write: 1_250_000_000n })).toBe(2_500_000_000n);
  });

  test('count towards the long-context threshold', () => {
    const tiered = {
      ...dear,
      long_context: { ...dear, above_tokens: 10, input: 9_000_000_000n },
    };
    expect(nanoOf({ ...NO_USAGE, input: 1, cache_write_1h: 10 }, tiered)).toBe(9_000n + 20_000n);
  });

  test('are part of the bound only for calls that request them', () => {
    expect(boundOf(1_000_000, 0, callPrice(dear, { longCache: true }))).toBe(2_000_000_000n);
    expect(boundOf(1_000_000, 0, callPrice(dear, {}))).toBe(1_250_000_000n);
    const tiered = { ...dear, long_context: { ...dear, above_tokens: 1 } };
    expect(boundOf(1_000_000, 0, callPrice(tiered, {}))).toBe(1_250_000_000n);
  });
});

describe('audio', () => {
  const spoken = {
    ...price,
    audio_input: 32_000_000_000n,
    audio_cache_read: 3_000_000_000n,
    audio_output: 64_000_000_000n,
  };
  const usage = { ...NO_USAGE, input: 1_000_000, cache_read: 500_000, output: 2_000_000 };
  const audio = { audio_input: 400_000, audio_cache_read: 100_000, audio_output: 1_500_000 };
  const text = { ...usage, input: 600_000, cache_read: 400_000, output: 500_000 };

  test('costs its own prices, and the rest of the same figures costs as text', () => {
    expect(nanoOf({ ...usage, ...audio }, spoken)).toBe(
      nanoOf(text, spoken) + 12_800_000_000n + 300_000_000n + 96_000_000_000n,
    );
  });

  test('costs as much as text without prices of its own, and cached audio as much as audio', () => {
    expect(nanoOf({ ...usage, ...audio }, price)).toBe(nanoOf(usage, price));
    const { audio_cache_read: _, ...uncached } = spoken;
    const cached = { ...NO_USAGE, cache_read: 10, audio_cache_read: 10 };
    expect(nanoOf(cached, uncached)).toBe(320_000n);
  });

  test('has no price in a call that needs none, of short and long prompts', () => {
    const tiered = { ...spoken, long_context: { ...spoken, above_tokens: 1 } };
    expect(callPrice(tiered, {})).toEqual({ ...price, long_context: { ...price, above_tokens: 1 } });
    const { audio_output: _out, ...heard } = spoken;
    expect(callPrice(spoken, { audioInput: true })).toEqual(heard);
    expect(callPrice(spoken, { audioOutput: true })).toEqual({ ...price, audio_output: 64_000_000_000n });
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

describe('of any usage and price', () => {
  const nano = fc.bigInt(0n, 100_000_000_000n);
  const rates = fc.record(
    Object.fromEntries(TOKEN_RATE_NAMES.map((name) => [name, nano])) as Record<keyof TokenRates, typeof nano>,
    { requiredKeys: ['input', 'output'] },
  );
  const price: fc.Arbitrary<TokenPrice> = fc
    .tuple(
      rates,
      fc.option(fc.tuple(rates, fc.integer({ min: 1, max: 300_000 }))),
      fc.dictionary(fc.constantFrom('web_search', 'search_unit'), nano),
    )
    .map(([base, long, units]) => ({
      ...base,
      ...(long && { long_context: { ...long[0], above_tokens: long[1] } }),
      units,
    }));
  const tokens = fc.oneof(fc.constant(0), fc.nat(200_000));
  const share = fc.nat(100);
  /** Audio is a part of the figures that include it. */
  const usage = fc
    .record({
      ...{ input: tokens, cache_read: tokens, cache_write: tokens, cache_write_1h: tokens, output: tokens },
      audio: fc.tuple(share, share, share),
      units: fc.dictionary(fc.constantFrom('web_search', 'search_unit', 'unpriced'), fc.nat(50)),
    })
    .map(({ audio: [input, cached, output], ...figures }) => ({
      ...figures,
      audio_input: Math.floor((figures.input * input) / 100),
      audio_cache_read: Math.floor((figures.cache_read * cached) / 100),
      audio_output: Math.floor((figures.output * output) / 100),
    }));
  type Usage = typeof usage extends fc.Arbitrary<infer T> ? T : never;

  /** The rules of docs/money.md, written out. */
  function writtenOut(used: Usage, { units = {}, long_context: long, ...base }: TokenPrice): bigint {
    const prompt = used.input + used.cache_read + used.cache_write + used.cache_write_1h;
    const at: TokenRates = long && prompt > long.above_tokens ? long : base;
    const { input = 0n, output = 0n, cache_write = input, cache_read = input } = at;
    const { audio_input, audio_cache_read, audio_output } = used;
    const millionths =
      BigInt(used.input - audio_input) * input +
      BigInt(audio_input) * (at.audio_input ?? input) +
      BigInt(used.cache_read - audio_cache_read) * cache_read +
      BigInt(audio_cache_read) * (at.audio_cache_read ?? at.audio_input ?? cache_read) +
      BigInt(used.cache_write) * cache_write +
      BigInt(used.cache_write_1h) * (at.cache_write_1h ?? cache_write) +
      BigInt(used.output - audio_output) * output +
      BigInt(audio_output) * (at.audio_output ?? output);
    const ofUnits = Object.entries(used.units).map(([unit, count]) => BigInt(count) * (units[unit] ?? 0n));
    return ofUnits.reduce((sum, unitNano) => sum + unitNano, (millionths + 999_999n) / 1_000_000n);
  }

  test('the cost is that of the rules written out', () => {
    fc.assert(fc.property(usage, price, (used, at) => expect(nanoOf(used, at)).toBe(writtenOut(used, at))));
  });

  test('the lines add up to the cost, and each is within a nano-USD of its quantity at its price', () => {
    fc.assert(
      fc.property(usage, price, (used, at) => {
        const { costNano, lines } = costOf(used, at);
        expect(lines.reduce((sum, line) => sum + line.costNano, 0n)).toBe(costNano);
        for (const { quantity, priceNano, per, costNano: lineNano } of lines) {
          const rest = lineNano * BigInt(per) - BigInt(quantity) * priceNano;
          expect(rest > -BigInt(per) && rest < BigInt(per)).toBe(true);
        }
      }),
    );
  });

  test('the bound of the same prompt and output covers the cost', () => {
    fc.assert(
      fc.property(usage, price, (used, at) => {
        const prompt = used.input + used.cache_read + used.cache_write + used.cache_write_1h;
        const audio = used.audio_input + used.audio_cache_read;
        const boundNano = boundOf(prompt, used.output, at, used.units, audio);
        expect(boundNano).toBeGreaterThanOrEqual(nanoOf(used, at));
      }),
    );
  });

  test('the output within an amount is the most that the amount covers', () => {
    const call = fc.record({ amount: fc.bigInt(0n, 10n ** 13n), input: tokens, audio: share });
    fc.assert(
      fc.property(call, price, ({ amount, input, audio }, at) => {
        fc.pre((at.output ?? 0n) > 0n);
        const audioTokens = Math.floor((input * audio) / 100);
        const output = outputWithin(amount, input, at, {}, audioTokens);
        const bound = (tokensOut: number) => boundOf(input, tokensOut, at, {}, audioTokens);
        fc.pre(Number.isSafeInteger(output));
        if (output > 0) expect(bound(output)).toBeLessThanOrEqual(amount);
        expect(bound(output + 1)).toBeGreaterThan(amount);
      }),
    );
  });
});

test('a line names what was used, how much of it, and its price', () => {
  const priced = {
    ...price,
    audio_input: 3_000_000_000n,
    units: { web_search: 10_000_000n, web_search_prompt: 1n },
  };
  const usage = {
    ...{ input: 11, audio_input: 1, cache_write: 2, output: 0 },
    units: { web_search: 3, search_unit: 1, web_search_prompt: 0 },
  };
  expect(costOf(usage, priced)).toEqual({
    costNano: 30_015_001n,
    lines: [
      { component: 'input', quantity: 10, priceNano: price.input, per: 1_000_000, costNano: 10_001n },
      { component: 'cache_write', quantity: 2, priceNano: price.input, per: 1_000_000, costNano: 2_000n },
      { component: 'audio_input', quantity: 1, priceNano: 3_000_000_000n, per: 1_000_000, costNano: 3_000n },
      { component: 'web_search', quantity: 3, priceNano: 10_000_000n, per: 1, costNano: 30_000_000n },
    ],
  });
});

test('ceilDiv rounds up', () => {
  expect([ceilDiv(0n, 3n), ceilDiv(1n, 3n), ceilDiv(3n, 3n), ceilDiv(4n, 3n)]).toEqual([0n, 1n, 1n, 2n]);
});

test('output that is free is not limited by funds', () => {
  const free = { input: 1_000_000n, output: 0n };
  expect(outputWithin(5n, 1, free)).toBe(Number.MAX_SAFE_INTEGER);
  expect(outputWithin(0n, 1, free)).toBe(0);
});

test('the price of a call keeps the prices of units', () => {
  const priced = { ...price, units: { web_search: 10_000_000n } };
  expect(callPrice(priced, {})).toEqual(priced);
});

test('a rate exists for a need only if the price has it', () => {
  const spoken = { ...price, audio_output: 5n };
  expect([hasRateFor(spoken, 'audioOutput'), hasRateFor(spoken, 'audioInput')]).toEqual([true, false]);
  expect(hasRateFor({ ...price, cache_write_1h: 0n }, 'longCache')).toBe(true);
});

test('tokens of several rates are rounded up once', () => {
  expect(costOfTokens([])).toBe(0n);
  expect(
    costOfTokens([
      [1, 1n],
      [2, 1_000_000n],
      [1, 500_000n],
    ]),
  ).toBe(3n);
});
