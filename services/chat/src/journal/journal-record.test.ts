import type { TokenPrice } from '@gateway/pricing';
import { expect, test } from '@jest/globals';
import { NO_USAGE } from '../domain/usage';
import { decodeRecord, encodeRecord, type JournalRecord } from './journal-record';

const LONG = {
  input: 1n,
  output: 2n,
  cache_read: 3n,
  cache_write: 4n,
  cache_write_1h: 5n,
  audio_input: 10n,
  audio_cache_read: 11n,
  audio_output: 12n,
};
const RATES = { ...LONG, units: { web_search: 6n } };

function dispatched(price: TokenPrice, standardPrice?: TokenPrice): JournalRecord {
  return {
    t: 'dispatched',
    call: {
      requestId: 'r',
      accountId: 'a',
      keyId: 'k',
      model: 'openai/x',
      provider: 'openai',
      endpoint: '/v1/chat/completions',
      streamed: true,
      price,
      ...(standardPrice && { standardPrice }),
      priceVersion: 2n ** 62n,
      startedAtMs: 7,
    },
    inputTokens: 9,
  };
}

test.each<[string, TokenPrice]>([
  ['with required rates only', { input: 2n ** 62n, output: 0n }],
  ['with every optional rate', { ...RATES, long_context: { ...LONG, above_tokens: 1_000 } }],
])("a call's price %s survives a round trip exactly", (_, price) => {
  for (const record of [dispatched(price), dispatched(RATES, price)]) {
    const line = encodeRecord(record);
    expect(line).toMatch(/^[^\n]+\n$/);
    expect(decodeRecord(line)).toEqual(record);
  }
});

test('progress survives a round trip exactly', () => {
  const usage = {
    ...{ ...NO_USAGE, input: 5, cache_read: 4, cache_write: 3, cache_write_1h: 2, output: 6, reasoning: 1 },
    ...{ audio_input: 2, audio_cache_read: 1, audio_output: 3 },
    units: { web_search: 2 },
    serviceTier: 'flex',
  };
  for (const progress of [usage, NO_USAGE]) {
    const record = { t: 'progress', id: 'r', usage: progress } as const;
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  }
});

/** Lines as the release before writes them. */
const EARLIER_RATES = {
  ...{ inputNano: '1', outputNano: '2', cacheReadNano: '3', cacheWriteNano: '4', cacheWriteLongNano: '5' },
  ...{ audioInputNano: '10', audioCacheReadNano: '11', audioOutputNano: '12' },
};
const EARLIER_PRICE = {
  ...EARLIER_RATES,
  longContext: { aboveTokens: 1_000, price: EARLIER_RATES },
  unitNano: { web_search: '6' },
};
const EARLIER_USAGE = {
  ...{ input: 5, cacheRead: 4, cacheWrite: 3, cacheWriteLong: 2, output: 6, reasoning: 1 },
  audio: { input: 2, cacheRead: 1, output: 3 },
  units: { web_search: 2 },
};

test('the release before reads the price and the progress that this one writes, and the other way around', () => {
  const price = { ...RATES, long_context: { ...LONG, above_tokens: 1_000 } };
  const { call } = JSON.parse(encodeRecord(dispatched(price)));
  expect(call.price).toEqual(EARLIER_PRICE);
  const earlier = { ...dispatched(price), call: { ...call, price: EARLIER_PRICE } };
  expect(decodeRecord(JSON.stringify(earlier))).toEqual(dispatched(price));

  const usage = decodeRecord(JSON.stringify({ t: 'progress', id: 'r', usage: EARLIER_USAGE }));
  expect(usage).toMatchObject({
    usage: {
      cache_write_1h: 2,
      audio_input: 2,
      audio_cache_read: 1,
      audio_output: 3,
      units: { web_search: 2 },
    },
  });
  if (usage) expect(JSON.parse(encodeRecord(usage)).usage).toMatchObject(EARLIER_USAGE);
});
