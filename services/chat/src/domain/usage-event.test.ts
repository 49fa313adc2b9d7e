import { expect, test } from '@jest/globals';
import { NO_USAGE } from './usage';
import { type DispatchedCall, settledEvent } from './usage-event';

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
  ['the tier that was asked for', { price: PRIORITY, standardPrice: STANDARD }, 'priority', 60],
  ['the standard one instead', { price: PRIORITY, standardPrice: STANDARD }, 'default', 30],
  ['a tier that it does not tell', { price: PRIORITY, standardPrice: STANDARD }, undefined, 60],
  ['the standard one instead of a cheaper one', { price: FLEX, standardPrice: STANDARD }, 'default', 15],
  ['any, when none was asked for', { price: STANDARD }, 'priority', 30],
])('a call that was given %s', (_, prices, serviceTier, expected) => {
  expect(costNano(prices, serviceTier)).toBe(expected);
});
