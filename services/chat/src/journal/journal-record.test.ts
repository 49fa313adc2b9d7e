import { expect, test } from '@jest/globals';
import type { TokenPrice } from '../domain/model';
import { decodeRecord, encodeRecord, type JournalRecord } from './journal-record';

const RATES = {
  inputNano: 1n,
  outputNano: 2n,
  cacheReadNano: 3n,
  cacheWriteNano: 4n,
  cacheWriteLongNano: 5n,
  audioInputNano: 10n,
  audioCacheReadNano: 11n,
  audioOutputNano: 12n,
  unitNano: new Map([['web_search', 6n]]),
};

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
  ['with required rates only', { inputNano: 2n ** 62n, outputNano: 0n }],
  ['with every optional rate', { ...RATES, longContext: { aboveTokens: 1_000, price: RATES } }],
])("a call's price %s survives a round trip exactly", (_, price) => {
  for (const record of [dispatched(price), dispatched(RATES, price)]) {
    const line = encodeRecord(record);
    expect(line).toMatch(/^[^\n]+\n$/);
    expect(decodeRecord(line)).toEqual(record);
  }
});
