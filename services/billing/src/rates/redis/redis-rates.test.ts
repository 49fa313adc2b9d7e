import { randomUUIDv7 } from 'node:crypto';
import type { RateFigures } from '@gateway/errors';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  callToRate,
  type NaiveCall,
  type NaiveEntry,
  type NaiveLimits,
  NaiveRates,
} from '../../testing/naive-rates';
import {
  connectTestRedis,
  createTestRedis,
  type TestRedis,
  type TestRedisConnection,
} from '../../testing/test-redis';
import type { CallToRate, RateOutcome, RateReservation, RateUse } from '../rules/rate-limiter';
import { redisScript } from './redis-connection';
import { RedisRates } from './redis-rates';

const HEAVY = process.env.TEST_HEAVY !== undefined;

let server: TestRedis;
let redis: TestRedisConnection;
let rates: RedisRates;
const clockKey = `test-clock-${randomUUIDv7()}`;
beforeAll(async () => {
  server = await createTestRedis();
  redis = await connectTestRedis(server.url);
  rates = new RedisRates({
    redis,
    clock: `redis.call('GET', '${clockKey}')`,
    recall: async (keyIds) => keyIds.map((keyId) => ({ keyId, generation: 1n, entries: [] })),
    timeoutMs: 5_000,
    onFailed: (error) => {
      throw error;
    },
  });
  // Loads the scripts into the server now, so that no measured call is sent twice.
  await redis.run(SET, [clockKey], ['0']);
}, 60_000);
afterAll(async () => {
  await redis?.run(SET, [clockKey], ['0']);
  await redis?.stop();
  await server?.stop();
}, 60_000);

const SET = redisScript(`redis.call('SET', KEYS[1], ARGV[1], 'EX', 600) return {}`);
/** Not awaited: commands sent later on the same connection see the new clock. */
const setClock = (ms: number): void => {
  void redis.run(SET, [clockKey], [String(ms)]);
};

const START = 1_800_000_000_000;

/** Reserves rates. Windows of keys that the server does not have are created first, with an empty history. */
async function take(calls: readonly CallToRate[]): Promise<RateOutcome[]> {
  const outcomes = await rates.take(calls);
  const lost = calls.filter((_, i) => outcomes[i] === undefined);
  if (lost.length === 0) return outcomes.filter((outcome) => outcome !== undefined);
  await rates.rebuild([...new Set(lost.map(({ call }) => call.keyId))]);
  return take(calls);
}

const textOf = (outcome: RateOutcome): string => {
  if (outcome.taken) return 'admitted';
  const { code, retryAfterSeconds } = outcome.error;
  return `${code} ${retryAfterSeconds ?? -1}`;
};

const limitsOf = ({ rpm, tpm }: NaiveLimits) => ({
  rpm: rpm === null ? null : BigInt(rpm),
  tpm: tpm === null ? null : BigInt(tpm),
  generation: 0n,
});

type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'take'; readonly calls: readonly NaiveCall[] }
  | { readonly do: 'release' | 'correct' | 'report'; readonly calls: readonly Use[] };

interface Use {
  readonly pick: number;
  readonly used: number;
  readonly sequence: number;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(1_500), fc.constantFrom(499, 500, 59_999, 60_000, 60_001, 60_499), fc.nat(130_000)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      calls: fc.array(
        fc.record({
          prompt: fc.nat(60),
          output: fc.nat(60),
          free: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('release' as const, 'correct' as const, 'report' as const),
      calls: fc.array(fc.record({ pick: fc.nat(), used: fc.nat(180), sequence: fc.nat(6) }), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
  },
);
const limit = (max: number) => fc.option(fc.nat(max), { freq: 4 });
const limits: fc.Arbitrary<NaiveLimits> = fc
  .record({ rpm: limit(8), tpm: limit(150) })
  .filter(({ rpm, tpm }) => rpm !== null || tpm !== null);

interface Taken {
  readonly requestId: string;
  readonly reservation: RateReservation;
  readonly entry: NaiveEntry;
}

/** Runs the same steps on the scripts and on the naive model. */
class Run {
  readonly #limits: NaiveLimits;
  readonly #keyId = `key_${randomUUIDv7()}`;
  readonly #naive = new NaiveRates();
  readonly #taken: Taken[] = [];
  #nowMs = START;

  constructor(limits: NaiveLimits) {
    this.#limits = limits;
  }

  async apply(one: Step): Promise<void> {
    if (one.do === 'wait') this.#nowMs += one.ms;
    else if (one.do === 'take') await this.#take(one.calls);
    else if (one.do === 'report') await this.#report(one.calls);
    else await this.#end(one.do, one.calls);
  }

  async #take(calls: readonly NaiveCall[]): Promise<void> {
    setClock(this.#nowMs);
    const outcomes = await take(
      calls.map((call) => ({ call: callToRate(this.#keyId, call), limits: limitsOf(this.#limits) })),
    );
    for (const [i, call] of calls.entries()) {
      const expected = this.#naive.take(this.#nowMs, this.#limits, call);
      const outcome = outcomes[i]!;
      expect(textOf(outcome)).toBe('code' in expected ? `${expected.code} ${expected.wait}` : 'admitted');
      if (!outcome.taken) this.#expectFigures(outcome.error.rates);
      else if (!('code' in expected))
        this.#taken.push({ requestId: randomUUIDv7(), reservation: outcome.reservation!, entry: expected });
    }
    const last = outcomes.findLast((outcome) => outcome.taken);
    if (last?.taken) this.#expectFigures(last);
  }

  /** Tokens that are given back may leave the token reset later than necessary. */
  #expectFigures(actual: RateFigures | undefined): void {
    const { requests, tokens } = this.#figures();
    expect(actual?.requests).toEqual(requests);
    expect(actual?.tokens?.remaining).toBe(tokens?.remaining);
    for (const state of [actual?.requests, actual?.tokens])
      expect(state?.resetSeconds ?? 0).toBeLessThanOrEqual(60);
  }

  #figures() {
    const { rpm, tpm } = this.#limits;
    const { requests, tokens } = this.#naive.window(this.#nowMs);
    const figures = (most: number | null, used: number) =>
      most === null ? undefined : { limit: BigInt(most), remaining: BigInt(Math.max(0, most - used)) };
    const ofRequests = figures(rpm, requests);
    return {
      requests: ofRequests && { ...ofRequests, resetSeconds: this.#naive.reset(this.#nowMs, 'requests') },
      tokens: figures(tpm, tokens),
    };
  }

  async #report(calls: readonly Use[]): Promise<void> {
    setClock(this.#nowMs);
    if (this.#taken.length === 0) return;
    const reported = calls.map(({ pick, ...use }) => ({
      ...this.#taken[pick % this.#taken.length]!,
      ...use,
    }));
    await rates.report(
      reported.map(({ requestId, reservation, used, sequence }) => ({
        ...reservation,
        requestId,
        usedTokens: BigInt(used),
        sequence,
      })),
    );
    for (const { entry, used, sequence } of reported) this.#naive.use(this.#nowMs, entry, used, sequence);
  }

  async #end(kind: 'release' | 'correct', calls: readonly Use[]): Promise<void> {
    setClock(this.#nowMs);
    // A call that funds refuse was never dispatched and has no reports.
    const may = kind === 'release' ? this.#taken.filter(({ entry }) => entry.sequence < 0) : this.#taken;
    const ended = calls.slice(0, may.length).map(({ pick, used }) => {
      const [taken] = may.splice(pick % may.length, 1) as [Taken];
      if (may !== this.#taken) this.#taken.splice(this.#taken.indexOf(taken), 1);
      return { ...taken, used, streamed: taken.entry.sequence >= 0 };
    });
    const limits = limitsOf(this.#limits);
    const left =
      kind === 'release'
        ? await rates.release(ended.map(({ reservation }) => ({ reservation, limits })))
        : await rates.correct(
            ended.map(({ reservation, used, ...more }) => ({
              ...reservation,
              ...more,
              usedTokens: BigInt(used),
            })),
          );
    for (const { entry, used } of ended) {
      if (kind === 'release') this.#naive.release(this.#nowMs, entry);
      else this.#naive.use(this.#nowMs, entry, used, Number.POSITIVE_INFINITY);
    }
    if (!left || ended.length === 0) return;
    const { requests, tokens } = this.#figures();
    expect(left.get(this.#keyId)).toEqual({
      ...(requests && { requests }),
      ...(tokens && { tokens: { ...tokens, resetSeconds: this.#naive.reset(this.#nowMs, 'tokens') } }),
    });
  }
}

test('the Redis scripts agree with a naive model for any sequence of operations', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { minLength: 5, maxLength: 60 }), async (limits, steps) => {
      const run = new Run(limits);
      for (const one of steps) await run.apply(one);
    }),
    { numRuns: HEAVY ? 3_000 : 50 },
  );
}, 900_000);

interface AttackedCall {
  readonly reservation: RateReservation;
  readonly requestId: string;
  /** The final figure; reports approach it. */
  readonly used: number;
  readonly endMs: number;
  /** Tokens counted for the call, with their times. */
  readonly counts: { readonly atMs: number; tokens: number }[];
  readonly admittedMs: number;
  sequence: number;
}

interface Attack {
  readonly rpm: number;
  readonly tpm: number;
  readonly jumps: readonly {
    readonly waitMs: number;
    readonly calls: readonly {
      readonly prompt: number;
      readonly output: number;
      /** Actual output as a multiple of the expected output. */
      readonly factor: number;
      readonly lastsMs: number;
    }[];
    /** Lets all calls end; a refused call then waits for Retry-After. */
    readonly obeys: boolean;
  }[];
}

const MINUTE_MS = 60_000;
/** Less often than chat reports: the bound does not depend on it. */
const REPORT_MS = 10_000;
const BOUNDARIES = [0, 1, 499, 500, 59_499, 59_999, 60_000, 60_001, 60_499, 60_500];
const anyAttack: fc.Arbitrary<Attack> = fc.record({
  rpm: fc.integer({ min: 1, max: 40 }),
  tpm: fc.integer({ min: 50, max: 1_000 }),
  jumps: fc.array(
    fc.record({
      waitMs: fc.oneof(fc.constantFrom(...BOUNDARIES), fc.nat(3_000), fc.nat(20_000)),
      calls: fc.array(
        fc.record({
          prompt: fc.nat(120),
          output: fc.nat(120),
          factor: fc.constantFrom(0, 0.1, 1, 1, 2, 10),
          lastsMs: fc.oneof(fc.nat(4_000), fc.nat(90_000)),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      obeys: fc.boolean(),
    }),
    { minLength: 3, maxLength: 10 },
  ),
});

/** Plays an attack against one key. Calls in flight report their tokens. */
class Attacker {
  readonly #attack: Attack;
  readonly #keyId = `key_${randomUUIDv7()}`;
  readonly #calls: AttackedCall[] = [];
  #inFlight: AttackedCall[] = [];
  #nowMs = START;

  constructor(attack: Attack) {
    this.#attack = attack;
  }

  async run(): Promise<void> {
    for (const { waitMs, calls, obeys } of this.#attack.jumps) {
      await this.#pass(waitMs);
      for (const call of calls) await this.#send(call);
      if (obeys) await this.#obey();
    }
    await this.#pass(100_000);
    this.#expectBounds();
  }

  async #send(call: Attack['jumps'][number]['calls'][number]): Promise<RateOutcome> {
    setClock(this.#nowMs);
    const { prompt, output, factor, lastsMs } = call;
    const asked = { ...callToRate(this.#keyId, { prompt, output, free: false }) };
    const [outcome] = await take([{ call: asked, limits: limitsOf(this.#attack) }]);
    if (outcome?.taken && outcome.reservation) {
      const attacked: AttackedCall = {
        reservation: outcome.reservation,
        requestId: randomUUIDv7(),
        used: Math.round(prompt + output * factor),
        endMs: this.#nowMs + lastsMs,
        counts: [{ atMs: this.#nowMs, tokens: prompt + output }],
        admittedMs: this.#nowMs,
        sequence: 0,
      };
      this.#calls.push(attacked);
      this.#inFlight.push(attacked);
    }
    return outcome!;
  }

  /** Ends calls and sends reports in chronological order. A call within its reservation sends none. */
  async #pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    while (this.#inFlight.length > 0) {
      const reports = this.#inFlight.some(({ used, reservation }) => used > reservation.tokens);
      const nextMs = Math.min(
        reports ? this.#nowMs + REPORT_MS : untilMs,
        ...this.#inFlight.map(({ endMs }) => endMs),
      );
      if (nextMs >= untilMs) break;
      this.#nowMs = nextMs;
      await this.#settle();
    }
    this.#nowMs = untilMs;
    await this.#settle();
  }

  async #settle(): Promise<void> {
    setClock(this.#nowMs);
    const ended = this.#inFlight.filter(({ endMs }) => endMs <= this.#nowMs);
    const reporting = this.#inFlight.filter(
      ({ endMs, used, reservation }) => endMs > this.#nowMs && used > reservation.tokens,
    );
    this.#inFlight = this.#inFlight.filter(({ endMs }) => endMs > this.#nowMs);
    const usesOf = (calls: readonly AttackedCall[]) =>
      calls.map((call) => {
        const { reservation, requestId, admittedMs, endMs, used } = call;
        const share = (this.#nowMs - admittedMs) / Math.max(1, endMs - admittedMs);
        const soFar =
          endMs <= this.#nowMs ? used : Math.max(Number(reservation.tokens), Math.floor(used * share));
        this.#count(call, soFar);
        return { ...reservation, requestId, usedTokens: BigInt(soFar) };
      });
    if (reporting.length > 0)
      await rates.report(usesOf(reporting).map((use, i) => ({ ...use, sequence: reporting[i]!.sequence++ })));
    if (ended.length > 0) await rates.correct(usesOf(ended).map((use) => ({ ...use, streamed: true })));
  }

  /** Counts additional tokens now; gives back excess tokens, the latest first. */
  #count({ counts }: AttackedCall, used: number): void {
    let more = used - counts.reduce((sum, { tokens }) => sum + tokens, 0);
    if (more > 0) counts.push({ atMs: this.#nowMs, tokens: more });
    for (const count of counts.toReversed()) {
      const less = Math.min(count.tokens, Math.max(0, -more));
      count.tokens -= less;
      more += less;
    }
  }

  async #obey(): Promise<void> {
    await this.#pass(Math.max(0, ...this.#inFlight.map(({ endMs }) => endMs - this.#nowMs)));
    const { tpm } = this.#attack;
    const call = { prompt: Math.min(tpm, 60), output: 5, factor: 1, lastsMs: 0 };
    const refused = await this.#send(call);
    if (refused.taken) return;
    const { retryAfterSeconds = 0, rates: figures } = refused.error;
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    for (const state of [figures?.requests, figures?.tokens])
      expect(state!.resetSeconds).toBeLessThanOrEqual(60);
    await this.#pass((retryAfterSeconds - 1) * 1_000);
    expect((await this.#send(call)).taken).toBe(false);
    await this.#pass(1_000);
    expect((await this.#send(call)).taken).toBe(true);
  }

  #expectBounds(): void {
    const { rpm, tpm } = this.#attack;
    for (const { admittedMs: fromMs } of this.#calls) {
      const inSpan = (atMs: number) => atMs >= fromMs && atMs < fromMs + MINUTE_MS;
      const admitted = this.#calls.filter(({ admittedMs }) => inSpan(admittedMs));
      expect(admitted.length).toBeLessThanOrEqual(rpm);
      const reachedMs = admitted.at(-1)!.admittedMs;
      const inFlight = this.#calls.filter((one) => one.admittedMs <= reachedMs && one.endMs >= reachedMs);
      const used = this.#calls.flatMap(({ counts }) => counts.filter(({ atMs }) => inSpan(atMs)));
      expect(sumOf(used.map(({ tokens }) => tokens))).toBeLessThanOrEqual(
        tpm + sumOf(inFlight.map((call) => call.used)),
      );
    }
  }
}

const sumOf = (figures: readonly number[]): number => figures.reduce((total, one) => total + one, 0);

test('no 60 s exceed RPM, nor TPM by more than the calls in flight; a retry after Retry-After is admitted', async () => {
  await fc.assert(
    fc.asyncProperty(anyAttack, (attack) => new Attacker(attack).run()),
    { numRuns: HEAVY ? 1_000 : 40 },
  );
}, 900_000);

test('a clock that is set back admits no call twice and recovers within a minute', async () => {
  const keyId = `key_${randomUUIDv7()}`;
  const send = async (ms: number) => {
    setClock(ms);
    const [outcome] = await take([
      {
        call: callToRate(keyId, { prompt: 1, output: 0, free: false }),
        limits: limitsOf({ rpm: 1, tpm: null }),
      },
    ]);
    return textOf(outcome!);
  };
  expect(await send(START)).toBe('admitted');
  expect(await send(START - 3_600_000)).toBe('rpm_rate_limited 60');
  expect(await send(START - 3_541_000)).toBe('rpm_rate_limited 1');
  expect(await send(START - 3_540_000)).toBe('admitted');
});

test('a call without tokens is not refused because of tokens that other calls used', async () => {
  setClock(START);
  const keyId = `key_${randomUUIDv7()}`;
  const limits = limitsOf({ rpm: null, tpm: 100 });
  const [taken] = await take([{ call: callToRate(keyId, { prompt: 1, output: 99, free: false }), limits }]);
  if (!taken?.taken || !taken.reservation) throw new Error('not taken');
  await rates.correct([
    { ...taken.reservation, requestId: randomUUIDv7(), usedTokens: 150n, streamed: false },
  ]);
  const sent = await take([
    { call: callToRate(keyId, { prompt: 0, output: 0, free: false }), limits },
    { call: callToRate(keyId, { prompt: 1, output: 0, free: false }), limits },
  ]);
  expect(sent.map(textOf)).toEqual(['admitted', 'tpm_rate_limited 60']);
});

test('expected output beyond the limit fills the window; a prompt beyond the remaining tokens is refused', async () => {
  setClock(START);
  const keyId = `key_${randomUUIDv7()}`;
  const limits = limitsOf({ rpm: null, tpm: 100 });
  const send = async (prompt: number, output: number) => {
    const [outcome] = await take([{ call: callToRate(keyId, { prompt, output, free: false }), limits }]);
    return outcome!.taken ? Number(outcome!.tokens?.remaining) : textOf(outcome!);
  };
  expect(await send(10, 50)).toBe(40);
  expect(await send(41, 0)).toBe('tpm_rate_limited 60');
  expect(await send(40, 1_000)).toBe(0);
  expect(await send(0, 1)).toBe('tpm_rate_limited 60');
});

test('an empty window admits a prompt estimate up to 25 % above the limit; a larger prompt never fits', async () => {
  setClock(START);
  const limits = limitsOf({ rpm: null, tpm: 100 });
  const send = async (keyId: string, prompt: number) => {
    const [outcome] = await take([{ call: callToRate(keyId, { prompt, output: 0, free: false }), limits }]);
    return outcome!;
  };
  const keyId = `key_${randomUUIDv7()}`;
  const never = await send(keyId, 126);
  expect(never).toMatchObject({ taken: false, error: { code: 'tpm_rate_limited', shouldRetry: false } });
  expect(textOf(never)).toBe('tpm_rate_limited -1');
  expect(textOf(await send(keyId, 125))).toBe('admitted');
  const other = `key_${randomUUIDv7()}`;
  expect(textOf(await send(other, 1))).toBe('admitted');
  // 60 s: the estimate fits once the window is empty.
  expect(textOf(await send(other, 125))).toBe('tpm_rate_limited 60');
});

describe('a usage report of a call in flight', () => {
  const limits = limitsOf({ rpm: null, tpm: 1_000 });
  const begin = async (keyId: string): Promise<RateUse> => {
    setClock(START);
    const [taken] = await take([
      { call: callToRate(keyId, { prompt: 10, output: 90, free: false }), limits },
    ]);
    if (!taken?.taken || !taken.reservation) throw new Error('not taken');
    return { ...taken.reservation, requestId: randomUUIDv7(), usedTokens: 0n };
  };
  /** Remaining tokens, read by a free call, which uses none. */
  const remaining = async (keyId: string) => {
    const [outcome] = await take([{ call: callToRate(keyId, { prompt: 0, output: 0, free: true }), limits }]);
    return outcome!.taken ? Number(outcome!.tokens?.remaining) : undefined;
  };

  test('counts tokens above the reservation once, whatever the order and number of reports', async () => {
    const keyId = `key_${randomUUIDv7()}`;
    const use = await begin(keyId);
    const report = (sequence: number, usedTokens: bigint) => rates.report([{ ...use, sequence, usedTokens }]);
    await report(1, 300n);
    await report(1, 300n);
    expect(await remaining(keyId)).toBe(700);
    await report(3, 500n);
    await report(2, 400n);
    expect(await remaining(keyId)).toBe(500);
    await rates.correct([{ ...use, usedTokens: 450n, streamed: true }]);
    await report(4, 900n);
    expect(await remaining(keyId)).toBe(550);
  });

  test('counts tokens in the window from the time of the report', async () => {
    const keyId = `key_${randomUUIDv7()}`;
    const use = await begin(keyId);
    setClock(START + 30_000);
    await rates.report([{ ...use, sequence: 1, usedTokens: 300n }]);
    setClock(START + 60_000);
    expect(await remaining(keyId)).toBe(800);
    setClock(START + 90_000);
    expect(await remaining(keyId)).toBe(1_000);
  });

  test('gives back an overestimated prompt without affecting other calls', async () => {
    const keyId = `key_${randomUUIDv7()}`;
    const [first] = [await begin(keyId), await begin(keyId)];
    await rates.report([{ ...first, sequence: 1, usedTokens: 95n }]);
    expect(await remaining(keyId)).toBe(805);
    await rates.report([{ ...first, sequence: 2, usedTokens: 0n }]);
    expect(await remaining(keyId)).toBe(900);
  });
});

test('counts the largest figures exactly', async () => {
  setClock(START);
  const keyId = `key_${randomUUIDv7()}`;
  const most = 10 ** 12;
  const send = (output: number) =>
    take([
      {
        call: callToRate(keyId, { prompt: 1, output, free: false }),
        limits: limitsOf({ rpm: null, tpm: most }),
      },
    ]);
  const [first] = await send(most - 2);
  expect(first).toMatchObject({ taken: true, tokens: { remaining: 1n } });
  if (first?.taken)
    await rates.correct([
      { ...first.reservation!, requestId: randomUUIDv7(), usedTokens: 999_999_999_998n, streamed: false },
    ]);
  expect((await send(0))[0]).toMatchObject({ taken: true, tokens: { remaining: 1n } });
  expect((await send(0))[0]).toMatchObject({ taken: true, tokens: { remaining: 0n } });
  expect((await send(0)).map(textOf)).toEqual(['tpm_rate_limited 60']);
});
