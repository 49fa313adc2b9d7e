import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type AccountFigures,
  admitCall,
  type CallToAdmit,
  type Decision,
  decideCall,
  freeNano,
  type KeyFigures,
} from './admission';

const NOW = Date.UTC(2028, 1, 29, 23, 59, 59);

const use = (usedNano: bigint, heldNano = 0n) => ({ usedNano, heldNano });

const account = (more: Partial<AccountFigures> = {}): AccountFigures => ({
  id: 'a',
  active: true,
  balanceNano: 1_000n,
  heldNano: 0n,
  dailyLimitNano: null,
  today: use(0n),
  insufficientFundsPolicy: 'lower',
  limitedUntilMs: 0,
  bareModelNames: false,
  ...more,
});

const key = (more: Partial<KeyFigures> = {}): KeyFigures => ({
  id: 'k',
  accountId: 'a',
  enabled: true,
  expiresAtMs: null,
  rates: { rpm: null, tpm: null, generation: 0n },
  allowedModels: [],
  dailyLimitNano: null,
  monthlyLimitNano: null,
  requestCostLimitNano: null,
  bareModelNames: null,
  scopes: [],
  allowedIps: [],
  liveValueIds: [],
  retiredValueIds: [],
  today: use(0n),
  thisMonth: use(0n),
  ...more,
});

const call = (boundNano: bigint, floorNano = boundNano, more: Partial<CallToAdmit> = {}): CallToAdmit => ({
  requestId: 'r',
  accountId: 'a',
  keyId: 'k',
  valueId: '',
  model: 'sim/chat',
  modelOutputs: ['text'],
  ownerId: 'o',
  ownerEpoch: 1n,
  boundNano,
  floorNano,
  promptTokens: 0n,
  outputTokens: 0n,
  free: false,
  needsFunds: false,
  scopes: [],
  clientAddress: '',
  callerNamedMaximum: false,
  makesTask: false,
  taskId: '',
  endpoint: '',
  isNew: true,
  mayHaveHold: false,
  bareModelName: false,
  ...more,
});

const summary = (decision: Decision) =>
  decision.granted ? `hold ${decision.holdNano}` : decision.error.code;

const decide = (asked: CallToAdmit, a?: AccountFigures, k?: KeyFigures) =>
  summary(decideCall(asked, a, k, NOW));

describe('key checks', () => {
  test.each([
    ['an unknown account is refused', undefined, key(), 'invalid_api_key'],
    ['an unknown key is refused', account(), undefined, 'invalid_api_key'],
    ['a suspended account is refused', account({ active: false }), key(), 'invalid_api_key'],
    ['a disabled key is refused', account(), key({ enabled: false }), 'invalid_api_key'],
    ["another account's key is refused", account(), key({ accountId: 'b' }), 'invalid_api_key'],
    [
      'a disabled and expired key is refused as invalid',
      account(),
      key({ enabled: false, expiresAtMs: 1 }),
      'invalid_api_key',
    ],
    [
      'a key that expires this millisecond is refused',
      account(),
      key({ expiresAtMs: NOW }),
      'expired_api_key',
    ],
    [
      'a key that expires in the next millisecond is accepted',
      account(),
      key({ expiresAtMs: NOW + 1 }),
      'hold 10',
    ],
    [
      'a model outside the allowlist is refused',
      account(),
      key({ allowedModels: ['x/y'] }),
      'model_not_found',
    ],
    [
      'a model in the allowlist is accepted',
      account(),
      key({ allowedModels: ['x/y', 'sim/chat'] }),
      'hold 10',
    ],
    [
      'a model that matches a pattern of the allowlist is accepted',
      account(),
      key({ allowedModels: ['sim/*'] }),
      'hold 10',
    ],
    [
      'a model of a type in the allowlist is accepted',
      account(),
      key({ allowedModels: ['type:chat'] }),
      'hold 10',
    ],
    [
      'a model of a type outside the allowlist is refused',
      account(),
      key({ allowedModels: ['type:image'] }),
      'model_not_found',
    ],
  ])('%s', (_, a, k, expected) => {
    expect(decide(call(10n), a, k)).toBe(expected);
  });

  test.each([
    [false, null, 'invalid_model'],
    [true, null, 'hold 10'],
    [true, false, 'invalid_model'],
    [false, true, 'hold 10'],
  ])(
    'a model without provider prefix, with bareModelNames %p on the account and %p on the key: %s',
    (ofAccount, ofKey, expected) => {
      const a = account({ bareModelNames: ofAccount });
      const bare = call(10n, 10n, { bareModelName: true });
      expect(decide(bare, a, key({ bareModelNames: ofKey }))).toBe(expected);
      expect(decide(call(10n), a, key({ bareModelNames: ofKey }))).toBe('hold 10');
    },
  );

  test.each([
    ['a live value', key({ liveValueIds: ['v', 'w'] }), 'hold 10', 'hold 0'],
    ['a rotated-out value', key({ retiredValueIds: ['v'] }), 'expired_api_key', 'expired_api_key'],
    ['an unknown value', key({ liveValueIds: ['w'] }), 'invalid_api_key', 'invalid_api_key'],
    [
      'a rotated-out value of a disabled key',
      key({ enabled: false, retiredValueIds: ['v'] }),
      'invalid_api_key',
      'invalid_api_key',
    ],
    ['an unknown value of an expired key', key({ expiresAtMs: 1 }), 'invalid_api_key', 'invalid_api_key'],
  ])('a call with a value id: %s', (_, k, expected, expectedFree) => {
    expect(decide(call(10n, 10n, { valueId: 'v' }), account(), k)).toBe(expected);
    expect(decide(call(0n, 0n, { valueId: 'v', free: true }), account(), k)).toBe(expectedFree);
  });
});

describe('funds', () => {
  test.each([
    ['a hold can take the whole balance', call(1_000n), account(), key(), 'hold 1000'],
    [
      'a hold of one nano more than the balance is refused',
      call(1_001n),
      account(),
      key(),
      'insufficient_balance',
    ],
    ['held money is not available', call(601n), account({ heldNano: 400n }), key(), 'insufficient_balance'],
    [
      'an empty balance refuses even a call that costs nothing',
      call(0n),
      account({ balanceNano: 0n }),
      key(),
      'insufficient_balance',
    ],
    [
      'a call that costs nothing is admitted while all funds are held',
      call(0n),
      account({ heldNano: 1_000n }),
      key(),
      'hold 0',
    ],
    [
      'a free call is admitted with a negative balance',
      call(0n, 0n, { free: true }),
      account({ balanceNano: -5n }),
      key(),
      'hold 0',
    ],
    [
      'a call above the funds is lowered to an eighth of them',
      call(2_000n, 100n),
      account(),
      key(),
      'hold 125',
    ],
    [
      'a call is lowered to all funds if an eighth is below its floor',
      call(2_000n, 126n),
      account(),
      key(),
      'hold 1000',
    ],
    ['a floor equal to all funds is admitted', call(2_000n, 1_000n), account(), key(), 'hold 1000'],
    ['a floor above all funds is refused', call(2_000n, 1_001n), account(), key(), 'insufficient_balance'],
    [
      'a call above the funds is refused where the policy says so',
      call(2_000n, 1n),
      account({ insufficientFundsPolicy: 'refuse' }),
      key(),
      'insufficient_balance',
    ],
    [
      'a call without a floor is refused when nothing is left',
      call(2_000n, 0n),
      account({ heldNano: 1_000n }),
      key(),
      'insufficient_balance',
    ],
    [
      'a call without a floor is lowered to the last nano',
      call(2_000n, 0n),
      account({ heldNano: 999n }),
      key(),
      'hold 1',
    ],
    [
      'an overdrawn account is refused',
      call(1n),
      account({ balanceNano: -1n }),
      key(),
      'insufficient_balance',
    ],
    [
      'a cap lowered below its usage refuses every call',
      call(0n),
      account(),
      key({ dailyLimitNano: 5n, today: use(6n) }),
      'key_daily_limit',
    ],
    [
      'the lowest of balance and caps decides',
      call(500n, 10n),
      account(),
      key({ monthlyLimitNano: 160n }),
      'hold 20',
    ],
  ])('%s', (_, asked, a, k, expected) => {
    expect(decide(asked, a, k)).toBe(expected);
  });
});

describe('awaitsSettlement of a refused call', () => {
  const awaits = (asked: CallToAdmit, a: AccountFigures, k = key()) => {
    const decision = decideCall(asked, a, k, NOW);
    return decision.granted ? 'granted' : decision.awaitsSettlement;
  };
  const used = { today: use(900n, 600n), dailyLimitNano: 1_000n };
  const holding = account({ heldNano: 600n, ...used });
  const spending = key({ today: use(700n, 600n), dailyLimitNano: 800n });
  const spent = key({ today: use(800n, 1n), dailyLimitNano: 800n });
  test.each([
    [
      'true when held money would make the balance sufficient',
      call(401n),
      account({ heldNano: 600n }),
      key(),
      true,
    ],
    [
      'false when the balance is too low even without holds',
      call(1_001n),
      account({ heldNano: 600n }),
      key(),
      false,
    ],
    ['false when the balance is empty', call(1n), account({ balanceNano: 0n, heldNano: 600n }), key(), false],
    [
      'false when nothing is held',
      call(200n),
      account(),
      key({ today: use(700n), dailyLimitNano: 800n }),
      false,
    ],
    ['false when only another key has holds', call(2n), holding, spent, false],
    ['true when the smallest hold would be enough', call(1n), holding, spent, true],
    [
      "false when the account's holds are of another day",
      call(200n),
      account({ dailyLimitNano: 1_000n, heldNano: 600n, today: use(900n) }),
      key(),
      false,
    ],
    [
      'false when the monthly cap is too low even without holds',
      call(200n),
      holding,
      key({ ...used, monthlyLimitNano: 1_000n, thisMonth: use(1_000n, 100n) }),
      false,
    ],
    ['true when held money would make the caps sufficient', call(600n), holding, spending, true],
    ['false when one of several caps is too low even without holds', call(701n), holding, spending, false],
    ['true when only the floor of the call could fit', call(900n, 700n), holding, spending, true],
    ['false when the key is refused', call(1n), holding, key({ enabled: false }), false],
  ])('%s', (_, asked, a, k, expected) => {
    expect(awaits(asked, a, k)).toBe(expected);
  });
});

describe('the per-request cap', () => {
  const capped = key({ requestCostLimitNano: 100n });
  test.each([
    ['a call at the cap is admitted', call(100n), 'hold 100'],
    ['a call above the cap is lowered to the whole cap', call(300n, 100n), 'hold 100'],
    ['a call whose floor is above the cap is refused', call(300n, 101n), 'request_cost_limit'],
    [
      'a call above the cap with an explicit max_tokens is refused',
      call(101n, 1n, { callerNamedMaximum: true }),
      'request_cost_limit',
    ],
  ])('%s', (_, asked, expected) => {
    expect(decide(asked, account(), capped)).toBe(expected);
  });

  test('reports the cap and the cost of the call, without a reset time', () => {
    const decision = decideCall(call(300n, 200n), account(), capped, NOW);
    expect(decision).toMatchObject({ error: { cap: { limitNano: 100n, usedNano: 300n } } });
  });
});

describe('a refusal by a cap that is smaller than the call alone', () => {
  const detailOf = (asked: CallToAdmit, a: AccountFigures, k: KeyFigures) => {
    const decision = decideCall(asked, a, k, NOW);
    return decision.granted ? undefined : decision.error.detail;
  };
  const usd = (amount: number) => BigInt(Math.round(amount * 1e9));
  const rich = account({ balanceNano: usd(100) });
  const video = call(usd(0.25));

  test.each([
    ["the key's daily limit", rich, key({ dailyLimitNano: usd(0.2) })],
    ["the key's monthly limit", rich, key({ monthlyLimitNano: usd(0.2) })],
    ["the account's daily limit", { ...rich, dailyLimitNano: usd(0.2) }, key()],
  ])('names both amounts and says not to retry: %s', (name, a, k) => {
    expect(detailOf(video, a, k)).toBe(
      `this request needs 0.25 USD, which exceeds ${name} of 0.2 USD; waiting for the reset does not help`,
    );
    const decision = decideCall(video, a, k, NOW);
    expect(decision).toMatchObject({
      awaitsSettlement: false,
      error: { shouldRetry: false, cap: { limitNano: usd(0.2), usedNano: 0n } },
    });
  });

  test('compares the lowest cost that the call can be sent with', () => {
    const chat = call(usd(0.5), usd(0.1));
    expect(detailOf(chat, rich, key({ dailyLimitNano: usd(0.099) }))).toMatch(/needs 0\.1 USD/);
    expect(detailOf(chat, rich, key({ dailyLimitNano: usd(0.2), today: use(usd(0.15)) }))).toBeUndefined();
    const refusing = { ...rich, insufficientFundsPolicy: 'refuse' as const };
    expect(detailOf(chat, refusing, key({ dailyLimitNano: usd(0.2) }))).toMatch(/needs 0\.5 USD/);
  });

  test('is not given when the call fits after the cap resets', () => {
    const nearlySpent = key({ dailyLimitNano: usd(0.25), today: use(1n) });
    expect(detailOf(video, rich, nearlySpent)).toBeUndefined();
  });

  test('names both amounts when the cap is the per-request cap', () => {
    expect(detailOf(video, rich, key({ requestCostLimitNano: usd(0.2) }))).toBe(
      "this call can cost up to 0.25 USD, more than the key's limit of 0.2 USD per request",
    );
  });
});

describe('with several refusals, the one that lasts longest is reported', () => {
  const spent = { today: use(50n), thisMonth: use(50n) };
  const all = key({ ...spent, requestCostLimitNano: 5n, monthlyLimitNano: 50n, dailyLimitNano: 50n });
  const poor = account({ balanceNano: 0n, dailyLimitNano: 10n, today: use(10n) });
  test.each([
    ['request_cost_limit', poor, all],
    ['insufficient_balance', poor, { ...all, requestCostLimitNano: null }],
    ['key_monthly_limit', { ...poor, balanceNano: 100n }, { ...all, requestCostLimitNano: null }],
    ['account_daily_limit', { ...poor, balanceNano: 100n }, key({ ...spent, dailyLimitNano: 50n })],
    ['key_daily_limit', account(), key({ ...spent, dailyLimitNano: 50n })],
  ])('%s is reported before the refusals below it', (code, a, k) => {
    expect(decide(call(10n), a, k)).toBe(code);
  });

  test('caps reset at the end of their calendar day or month', () => {
    const endOf = (k: KeyFigures, a = account()) => {
      const decision = decideCall(call(10n), a, k, NOW);
      return decision.granted ? 0 : new Date(decision.error.cap?.resetsAtMs ?? 0).toISOString();
    };
    expect(endOf(key({ dailyLimitNano: 0n }))).toBe('2028-03-01T00:00:00.000Z');
    expect(endOf(key({ monthlyLimitNano: 0n }))).toBe('2028-03-01T00:00:00.000Z');
    expect(endOf(key(), account({ dailyLimitNano: 0n }))).toBe('2028-03-01T00:00:00.000Z');
  });
});

const amount = fc.bigInt(0n, 1_000n);
const limit = fc.option(fc.bigInt(0n, 2_000n));

test('no fund is overspent and no refusal is unfounded, for any sequence of calls', () => {
  const figures = fc.record({
    balanceNano: fc.bigInt(-10n, 3_000n),
    dailyLimitNano: limit,
    keyDayNano: limit,
    keyMonthNano: limit,
    requestNano: limit,
    insufficientFundsPolicy: fc.constantFrom('lower' as const, 'refuse' as const),
  });
  const asked = fc.record({ floor: amount, more: amount, named: fc.boolean() });
  fc.assert(
    fc.property(figures, fc.array(asked, { minLength: 1, maxLength: 60 }), (f, calls) => {
      const a = account({ ...f });
      const k = key({
        dailyLimitNano: f.keyDayNano,
        monthlyLimitNano: f.keyMonthNano,
        requestCostLimitNano: f.requestNano,
      });
      for (const { floor, more, named } of calls) {
        const before = freeNano(a, k);
        const one = call(floor + more, floor, { callerNamedMaximum: named });
        const decision = admitCall(one, a, k, NOW);
        if (decision.granted) {
          expect(decision.holdNano).toBeGreaterThanOrEqual(floor);
          expect(decision.holdNano).toBeLessThanOrEqual(one.boundNano);
          expect(decision.holdNano).toBeLessThanOrEqual(before);
          expect(before - freeNano(a, k)).toBe(decision.holdNano);
          if (f.requestNano !== null) expect(decision.holdNano).toBeLessThanOrEqual(f.requestNano);
        } else if (decision.error.code === 'request_cost_limit') {
          expect(f.requestNano! < (named ? one.boundNano : floor)).toBe(true);
        } else {
          const mustFit = f.insufficientFundsPolicy === 'lower' ? (floor > 0n ? floor : 1n) : one.boundNano;
          expect(before < mustFit || before < 0n).toBe(true);
          expect(freeNano(a, k)).toBe(before);
        }
      }
    }),
    { numRuns: 500 },
  );
});

describe('an account above the abandoned-cost limit', () => {
  const limited = (seconds: number) => account({ limitedUntilMs: NOW + seconds * 1_000 });
  const refusalOf = (decision: Decision) => (decision.granted ? undefined : decision.error);

  test('is refused new calls until the limit ends, with Retry-After of at most 60 s', () => {
    for (const [seconds, wait] of [
      [3_600, 60],
      [59.2, 60],
      [7, 7],
    ] as const)
      expect(refusalOf(decideCall(call(10n), limited(seconds), key(), NOW))).toMatchObject({
        code: 'rate_limited',
        retryAfterSeconds: wait,
      });
    expect(decideCall(call(10n), limited(0), key(), NOW)).toMatchObject({ granted: true });
  });

  test('gets permanent refusals first, and may make free calls', () => {
    expect(refusalOf(decideCall(call(10_000n), limited(60), key(), NOW))?.code).toBe('insufficient_balance');
    expect(refusalOf(decideCall(call(10n), limited(60), key({ enabled: false }), NOW))?.code).toBe(
      'invalid_api_key',
    );
    expect(decideCall(call(0n, 0n, { free: true }), limited(60), key(), NOW)).toMatchObject({
      granted: true,
    });
  });
});
