import { GatewayError } from '@gateway/errors';
import { beforeEach, expect, test } from '@jest/globals';
import type { UpperBound } from '../domain/upper-bound';
import { admitWithin, boundsOf } from './admit-within';
import type { PlannedCall } from './plan-call';
import type { Admitted } from './reserve-call';

const BOUND: UpperBound = {
  inputTokens: 100,
  outputTokens: 10,
  costNano: 50n,
  floorOutputTokens: 1,
  floorCostNano: 5n,
};
const WHOLE = { ...BOUND, floorOutputTokens: 10, floorCostNano: 50n };
const COUNTED = { ...BOUND, inputTokens: 20, costNano: 20n };
const PLANNED = { bound: BOUND } as PlannedCall;
const DEARER = { bound: { ...BOUND, costNano: 70n } } as PlannedCall;
const WITH_FALLBACK = { ...WHOLE, costNano: 70n, floorCostNano: 70n };
const ADMITTED = {} as Admitted;

const SHORT = new GatewayError('insufficient_balance');
const NO_TOKENS_NOW = new GatewayError('tpm_rate_limited', { retryAfterSeconds: 3 });
const TOO_MANY_TOKENS = new GatewayError('tpm_rate_limited', { shouldRetry: false });

/** The reservations that were requested: prompt tokens, bound, and whether they wait for settlements. */
let requested: [number, UpperBound, boolean][];
let counts: number;
beforeEach(() => {
  requested = [];
  counts = 0;
});

const counted = () => {
  counts++;
  return COUNTED;
};

/** Tries the bounds of a call; the first reservations get these refusals. */
const admit = (
  refusals: readonly unknown[],
  {
    fallbacks = [],
    canCount = true,
    precise,
  }: { fallbacks?: PlannedCall[]; canCount?: boolean; precise?: () => number } = {},
) =>
  admitWithin(
    boundsOf(PLANNED, fallbacks, canCount ? counted : undefined),
    { estimate: 9, precise },
    async (...attempt) => {
      requested.push(attempt);
      const refusal = refusals[requested.length - 1];
      if (refusal) throw refusal;
      return ADMITTED;
    },
  );

test('a call that its funds cover is reserved in one attempt, without counting its prompt', async () => {
  expect(await admit([])).toBe(ADMITTED);
  expect(requested).toEqual([[9, WHOLE, false]]);
  expect(counts).toBe(0);
});

test('a call that does not fit by its bytes is tried with a counted prompt and a reduced output, and waits for settlements', async () => {
  await admit([SHORT]);
  expect(requested).toEqual([
    [9, WHOLE, false],
    [9, COUNTED, true],
  ]);
});

test('a call that cannot be counted has one attempt, which may reduce its output', async () => {
  await expect(admit([SHORT], { canCount: false })).rejects.toBe(SHORT);
  expect(requested).toEqual([[9, BOUND, true]]);
});

test('a dearer fallback model is covered first and given up if funds suffice only for the requested model', async () => {
  await admit([SHORT], { fallbacks: [DEARER] });
  expect(requested).toEqual([
    [9, WITH_FALLBACK, false],
    [9, WHOLE, false],
  ]);
  requested = [];
  await admit([SHORT, SHORT], { fallbacks: [DEARER] });
  expect(requested[2]).toEqual([9, COUNTED, true]);
  requested = [];
  await admit([], { fallbacks: [PLANNED] });
  expect(requested).toEqual([[9, WHOLE, false]]);
});

test('a call that waits for tokens keeps its bound, and its prompt is not counted', async () => {
  await admit([NO_TOKENS_NOW]);
  expect(requested).toEqual([
    [9, WHOLE, false],
    [9, WHOLE, true],
  ]);
  expect(counts).toBe(0);
});

test('the last refusal is thrown if no bound is granted', async () => {
  const daily = new GatewayError('key_daily_limit');
  await expect(admit([SHORT, daily])).rejects.toBe(daily);
});

test.each([
  ['a refusal for another reason', new GatewayError('model_not_found')],
  ['a prompt that exceeds the TPM limit', TOO_MANY_TOKENS],
  ['a failure', new TypeError('x')],
])('%s ends the attempts', async (_what, error) => {
  await expect(admit([error], { fallbacks: [DEARER] })).rejects.toBe(error);
  expect(requested).toHaveLength(1);
});

test('a prompt is estimated better, once, before its TPM limit refuses the call', async () => {
  let estimates = 0;
  const precise = () => {
    estimates++;
    return 4;
  };
  await admit([TOO_MANY_TOKENS, SHORT, NO_TOKENS_NOW], { precise }).catch(() => {});
  expect(requested).toEqual([
    [9, WHOLE, false],
    [4, WHOLE, false],
    [4, COUNTED, true],
  ]);
  expect(estimates).toBe(1);
});
