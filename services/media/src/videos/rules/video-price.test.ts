import { expect, test } from '@jest/globals';
import { billableMs, videoCostNano } from './video-price';

test.each([
  [5_000n, 50_000_000n, 250_000_000n],
  [1n, 1n, 1n],
  [1_000n, 1n, 1n],
  [1_001n, 1n, 2n],
  [0n, 7n, 0n],
])('%d ms at %d nano-USD per second cost %d nano-USD', (ms, perSecond, cost) => {
  expect(videoCostNano(ms, perSecond)).toBe(cost);
});

test.each([
  [5, 5_000n],
  [5.041, 5_041n],
  [3_600, 3_600_000n],
  [0, undefined],
  [0.0004, undefined],
  [-5, undefined],
  [3_600.1, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
])('%d seconds reported by a provider are %s ms', (seconds, ms) => expect(billableMs(seconds)).toBe(ms));
