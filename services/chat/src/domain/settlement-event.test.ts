import { expect, test } from '@jest/globals';
import { type DispatchedCall, settledEvent } from './settlement-event';
import { NO_USAGE } from './usage';

const STANDARD = { inputNano: 1_000_000n, outputNano: 4_000_000n };
const PRIORITY = { inputNano: 2_000_000n, outputNano: 8_000_000n };
const FLEX = { inputNano: 500_000n, outputNano: 2_000_000n };

function costNano(prices: Pick<DispatchedCall, 'price' | 'standardPrice'>, serviceTier?: string): number {
  const call = { requestId: 'r', priceVersion: 1n, startedAtMs: 0, ...prices } as DispatchedCall;
  const usage = { ...NO_USAGE, input: 10, output: 5, ...(serviceTier !== undefined && { serviceTier }) };
  const end = { status: 200, errorCode: '', endedAtMs: 1, firstByteMs: 1 };
  return Number(settledEvent(call, { ...end, usage, usageSource: 'provider' }).costNano);
}

test.each([
  [
    'charges the price of the requested tier when the provider applied it',
    { price: PRIORITY, standardPrice: STANDARD },
    'priority',
    60,
  ],
  [
    'charges the standard price when the provider applied the standard tier',
    { price: PRIORITY, standardPrice: STANDARD },
    'default',
    30,
  ],
  [
    'charges the price of the requested tier when the provider reports none',
    { price: PRIORITY, standardPrice: STANDARD },
    undefined,
    60,
  ],
  [
    'charges the price of a cheaper requested tier even if the provider applied the standard tier',
    { price: FLEX, standardPrice: STANDARD },
    'default',
    15,
  ],
  ['charges the standard price when no tier was requested', { price: STANDARD }, 'priority', 30],
])('%s', (_, prices, serviceTier, expected) => {
  expect(costNano(prices, serviceTier)).toBe(expected);
});
