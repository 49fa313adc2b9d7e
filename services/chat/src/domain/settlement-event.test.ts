import { expect, test } from '@jest/globals';
import { type DispatchedCall, settledEvent } from './settlement-event';
import { NO_USAGE } from './usage';

const STANDARD = { input: 1_000_000n, output: 4_000_000n };
const PRIORITY = { input: 2_000_000n, output: 8_000_000n };
const FLEX = { input: 500_000n, output: 2_000_000n };

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

test.each([
  ['the standard tier', undefined, 24n],
  ['the tier that the provider reports', 'priority', 48n],
  ['the standard tier if the target has no cost for the reported one', 'flex', 24n],
])('what the provider charges is the cost of the target in %s', (_, serviceTier, expected) => {
  const call = { requestId: 'r', priceVersion: 1n, startedAtMs: 0, price: PRIORITY } as DispatchedCall;
  const usage = {
    ...NO_USAGE,
    input: 10,
    cache_read: 4,
    output: 3,
    ...(serviceTier !== undefined && { serviceTier }),
  };
  const targetCost = {
    input: 1_000_000n,
    cache_read: 500_000n,
    output: 4_000_000n,
    serviceTiers: new Map([['priority', { input: 2_000_000n, cache_read: 1_000_000n, output: 8_000_000n }]]),
  };
  const end = { status: 200, errorCode: '', endedAtMs: 1, firstByteMs: 1 };
  const event = settledEvent(call, { ...end, usage, usageSource: 'provider', targetCost });
  expect(event.providerCostNano).toBe(expected.toString());
});

test('what the provider charges is absent without a cost of the target', () => {
  const call = { requestId: 'r', priceVersion: 1n, startedAtMs: 0, price: STANDARD } as DispatchedCall;
  const end = { status: 200, errorCode: '', endedAtMs: 1, firstByteMs: 1 };
  const event = settledEvent(call, { ...end, usage: NO_USAGE, usageSource: 'provider' });
  expect(event).not.toHaveProperty('providerCostNano');
});
