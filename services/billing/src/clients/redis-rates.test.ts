import { randomUUIDv7 } from 'node:crypto';
import type { RateFigures } from '@gateway/proto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CallToRate, RateOutcome, RatePlace } from '../domain/rate-limiter';
import { callToRate, NaiveRates } from '../testing/naive-rates';
import { connectTestRedis, createTestRedis, type TestRedis } from '../testing/test-redis';
import { type RedisConnection, redisScript } from './redis';
import { RedisRates } from './redis-rates';

const HEAVY = process.env.TEST_HEAVY !== undefined;

let server: TestRedis;
let redis: RedisConnection;
let rates: RedisRates;
const clockKey = `test-clock-${randomUUIDv7()}`;
beforeAll(async () => {
  server = await createTestRedis();
  redis = await connectTestRedis(server.url);
  rates = new RedisRates({
    redis,
    clock: `redis.call('GET', '${clockKey}')`,
    recall: async (keyIds) => keyIds.map((keyId) => ({ keyId, generation: 1n, seconds: [] })),
    timeoutMs: 5_000,
  });
  // Known to the server from here on, so that it is never sent twice and late.
  await redis.run(SET, clockKey, ['0']);
}, 60_000);
afterAll(async () => {
  await redis?.stop();
  await server?.stop();
}, 60_000);

const SET = redisScript(`redis.call('SET', KEYS[1], ARGV[1], 'EX', 600) return {}`);
/** What is sent after it on the same connection sees it: nobody need wait for its answer. */
const setClock = (second: number): void => {
  void redis.run(SET, clockKey, [String(second)]);
};

const START = 1_800_000_000;

/** Keys that the server does not know yet have an empty past. */
async function take(calls: readonly CallToRate[]): Promise<RateOutcome[]> {
  const outcomes = await rates.take(calls);
  const lost = calls.filter((_, i) => outcomes[i] === undefined);
  if (lost.length === 0) return outcomes.filter((outcome) => outcome !== undefined);
  await rates.rebuild([...new Set(lost.map(({ call }) => call.keyId))]);
  return take(calls);
}

const textOf = (outcome: RateOutcome): string => {
  if (outcome.taken) return `given ${outcome.grantedTokens}`;
  const { code, retryAfterSeconds } = outcome.error;
  return `${code} ${retryAfterSeconds ?? -1}`;
};

interface Terms {
  readonly rpm: number | null;
  readonly tpm: number | null;
}

const termsOf = ({ rpm, tpm }: Terms) => ({
  rpm: rpm === null ? null : BigInt(rpm),
  tpm: tpm === null ? null : BigInt(tpm),
  generation: 0n,
});

type Step =
  | { readonly do: 'wait'; readonly seconds: number }
  | {
      readonly do: 'take';
      readonly calls: readonly { readonly most: number; readonly slack: number; readonly free: boolean }[];
    }
  | {
      readonly do: 'giveBack' | 'correct';
      readonly calls: readonly { readonly pick: number; readonly used: number }[];
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.oneof(fc.nat(3), fc.constantFrom(58, 59, 60, 61, 62), fc.nat(130)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      calls: fc.array(
        fc.record({
          most: fc.nat(60),
          slack: fc.nat(60),
          free: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('giveBack' as const, 'correct' as const),
      calls: fc.array(fc.record({ pick: fc.nat(), used: fc.nat(90) }), { minLength: 1, maxLength: 5 }),
    }),
  },
);
const limit = (max: number) => fc.option(fc.nat(max), { freq: 4 });
const terms: fc.Arbitrary<Terms> = fc
  .record({ rpm: limit(8), tpm: limit(150) })
  .filter(({ rpm, tpm }) => rpm !== null || tpm !== null);

interface Taken {
  readonly place: RatePlace;
  readonly entry: { tokens: number; requests: number };
}

/** Drives the script and the list with the same steps. */
class Run {
  readonly #terms: Terms;
  readonly #keyId = `key_${randomUUIDv7()}`;
  readonly #naive = new NaiveRates();
  readonly #taken: Taken[] = [];
  #now = START;

  constructor(limits: Terms) {
    this.#terms = limits;
  }

  async apply(one: Step): Promise<void> {
    if (one.do === 'wait') this.#now += one.seconds;
    else if (one.do === 'take') await this.#take(one.calls);
    else await this.#end(one);
  }

  async #take(asked: (Step & { do: 'take' })['calls']): Promise<void> {
    setClock(this.#now);
    const calls = asked.map(({ most, slack, free }) => ({ most, free, least: Math.max(0, most - slack) }));
    const outcomes = await take(
      calls.map((call): CallToRate => ({ call: callToRate(this.#keyId, call), terms: termsOf(this.#terms) })),
    );
    for (const [i, call] of calls.entries()) {
      const least = Math.min(call.most, Math.max(1, call.least));
      const expected = this.#naive.take(this.#now, { ...this.#terms, ...call, least });
      const outcome = outcomes[i]!;
      expect(textOf(outcome)).toBe(
        'given' in expected ? `given ${expected.given}` : `${expected.code} ${expected.wait}`,
      );
      if (!outcome.taken) this.#expectFigures(outcome.error.rates);
      if (!outcome.taken || !('given' in expected)) continue;
      this.#taken.push({ place: outcome.place!, entry: expected.entry });
    }
    const last = outcomes.findLast((outcome) => outcome.taken);
    if (!last?.taken) return;
    this.#expectFigures(last);
  }

  /** What was given back to the window may keep the reset of its tokens too late. */
  #expectFigures(told: RateFigures | undefined): void {
    const { requests, tokens } = this.#figures();
    expect(told?.requests).toEqual(requests);
    expect(told?.tokens?.remaining).toBe(tokens?.remaining);
  }

  #figures() {
    const { rpm, tpm } = this.#terms;
    const { requests, tokens } = this.#naive.window(this.#now);
    const figures = (most: number | null, used: number) =>
      most === null ? undefined : { limit: BigInt(most), remaining: BigInt(Math.max(0, most - used)) };
    const ofRequests = figures(rpm, requests);
    return {
      requests: ofRequests && { ...ofRequests, resetSeconds: this.#naive.reset(this.#now, 'requests') },
      tokens: figures(tpm, tokens),
    };
  }

  async #end({ do: kind, calls }: Step & { do: 'giveBack' | 'correct' }): Promise<void> {
    setClock(this.#now);
    const ended = calls.slice(0, this.#taken.length).map(({ pick, used }) => {
      const [taken] = this.#taken.splice(pick % this.#taken.length, 1) as [Taken];
      return { ...taken, used };
    });
    const terms = termsOf(this.#terms);
    const left =
      kind === 'giveBack'
        ? await rates.giveBack(ended.map(({ place }) => ({ place, terms })))
        : await rates.correct(ended.map(({ place, used }) => ({ ...place, usedTokens: BigInt(used) })));
    for (const { entry, used } of ended) {
      if (kind === 'giveBack') {
        entry.tokens = 0;
        entry.requests = 0;
      } else if (used <= entry.tokens) entry.tokens = used;
      else this.#naive.entries.push({ second: this.#now, tokens: used - entry.tokens, requests: 0 });
    }
    if (!left || ended.length === 0) return;
    const { requests, tokens } = this.#figures();
    expect(left.get(this.#keyId)).toEqual({
      ...(requests && { requests }),
      ...(tokens && { tokens: { ...tokens, resetSeconds: this.#naive.reset(this.#now, 'tokens') } }),
    });
  }
}

test('the script does what a list of all calls does, whatever the order of steps', async () => {
  await fc.assert(
    fc.asyncProperty(terms, fc.array(step, { minLength: 5, maxLength: 60 }), async (limits, steps) => {
      const run = new Run(limits);
      for (const one of steps) await run.apply(one);
    }),
    { numRuns: HEAVY ? 3_000 : 50 },
  );
}, 900_000);

test('attacks at the edges of buckets: no 60 s hold more than the limit, and who waits as told gets in', async () => {
  // The clock of the attacker has milliseconds; the script sees whole seconds of it, as Redis's TIME.
  const attack = async (limits: { rpm: number; tpm: number }, jumps: readonly number[], burst: number) => {
    const keyId = `key_${randomUUIDv7()}`;
    const admitted: { atMs: number; tokens: number }[] = [];
    const call = callToRate(keyId, { most: 7, least: 5, free: false });
    const send = async (atMs: number, count: number) => {
      setClock(Math.floor(atMs / 1_000));
      const outcomes = await take(
        Array.from({ length: count }, () => ({ call: { ...call }, terms: termsOf(limits) })),
      );
      for (const one of outcomes) if (one.taken) admitted.push({ atMs, tokens: Number(one.grantedTokens) });
      return outcomes.at(-1)!;
    };
    let nowMs = START * 1_000;
    for (const jumpMs of jumps) {
      nowMs += jumpMs;
      const last = await send(nowMs, burst);
      if (last.taken) continue;
      const waitMs = last.error.retryAfterSeconds! * 1_000;
      expect(waitMs).toBeGreaterThan(0);
      // A second earlier is too early; to the second is not.
      expect((await send(nowMs + waitMs - 1_000, 1)).taken).toBe(false);
      nowMs += waitMs;
      expect((await send(nowMs, 1)).taken).toBe(true);
    }
    for (const [i, { atMs }] of admitted.entries()) {
      const span = admitted.slice(i).filter((one) => one.atMs < atMs + 60_000);
      expect(span.length).toBeLessThanOrEqual(limits.rpm);
      expect(span.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(limits.tpm);
    }
  };
  const edge = fc.constantFrom(0, 1, 999, 1_000, 59_000, 59_999, 60_000, 60_001, 60_999, 61_000);
  await fc.assert(
    fc.asyncProperty(
      fc.record({ rpm: fc.integer({ min: 1, max: 12 }), tpm: fc.integer({ min: 7, max: 70 }) }),
      fc.array(fc.oneof(edge, fc.nat(20_000)), { minLength: 3, maxLength: 12 }),
      fc.integer({ min: 1, max: 15 }),
      attack,
    ),
    { numRuns: HEAVY ? 10_000 : 75 },
  );
}, 900_000);

test('a clock that is set back lets nothing through twice, and is over it in a minute', async () => {
  const keyId = `key_${randomUUIDv7()}`;
  const send = async (second: number) => {
    setClock(second);
    const [outcome] = await take([
      { call: callToRate(keyId, { most: 1, least: 1, free: false }), terms: termsOf({ rpm: 1, tpm: null }) },
    ]);
    return textOf(outcome!);
  };
  expect(await send(START)).toBe('given 1');
  expect(await send(START - 3_600)).toBe('rpm_rate_limited 61');
  expect(await send(START - 3_540)).toBe('rpm_rate_limited 1');
  expect(await send(START - 3_539)).toBe('given 1');
});

test('a call that can use no tokens does not wait for those that others used', async () => {
  setClock(START);
  const keyId = `key_${randomUUIDv7()}`;
  const terms = termsOf({ rpm: null, tpm: 100 });
  const [taken] = await take([{ call: callToRate(keyId, { most: 100, least: 1, free: false }), terms }]);
  if (!taken?.taken || !taken.place) throw new Error('not taken');
  await rates.correct([{ ...taken.place, usedTokens: 150n }]);
  const sent = await take([
    { call: callToRate(keyId, { most: 0, least: 0, free: false }), terms },
    { call: callToRate(keyId, { most: 1, least: 1, free: false }), terms },
  ]);
  expect(sent.map(textOf)).toEqual(['given 0', 'tpm_rate_limited 61']);
});

test('what never fits has no time to wait', async () => {
  setClock(START);
  const keyId = `key_${randomUUIDv7()}`;
  const call = callToRate(keyId, { most: 200, least: 101, free: false });
  const [outcome] = await take([{ call, terms: termsOf({ rpm: null, tpm: 100 }) }]);
  expect(outcome).toMatchObject({ taken: false, error: { code: 'tpm_rate_limited', shouldRetry: false } });
  expect(textOf(outcome!)).toBe('tpm_rate_limited -1');
});

test('the largest figures are counted to the last token', async () => {
  setClock(START);
  const keyId = `key_${randomUUIDv7()}`;
  const most = 10 ** 12;
  const send = (calls: number) =>
    take(
      Array.from({ length: calls }, () => ({
        call: callToRate(keyId, { most, least: 1, free: false }),
        terms: termsOf({ rpm: null, tpm: most - 1 }),
      })),
    );
  const [given] = await send(2);
  expect(given).toMatchObject({ taken: true, grantedTokens: 999_999_999_999n, tokens: { remaining: 0n } });
  if (given?.taken) await rates.correct([{ ...given.place!, usedTokens: 999_999_999_998n }]);
  expect((await send(2)).map(textOf)).toEqual(['given 1', 'tpm_rate_limited 61']);
});
