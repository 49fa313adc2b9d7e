import { randomUUIDv7 } from 'node:crypto';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { minBigint } from '../domain/int8';
import type { CallToAdmit } from '../reserve/rules/admission';
import { ACCOUNT_DAILY, KEY_LIMITS, Model } from './money-model';

export interface MoneyFigures {
  readonly balanceNano: bigint;
  readonly heldNano: bigint;
  /** Cost of calls that was not charged. */
  readonly lossNano: bigint;
}

type Result<T> = T | Promise<T>;

/** The money of one account in an implementation under test. */
export interface MoneyCore {
  /** Sets the clock of the spend windows. */
  setClock(atMs: number): Result<void>;
  topup(amountNano: bigint): Result<void>;
  /** Reserves a batch of calls; returns `granted <nano>` or the error code of each. */
  reserve(calls: readonly CallToAdmit[]): Result<string[]>;
  /** Expires an open hold. */
  expire(requestId: string): Result<void>;
  /** Settles usage events; returns the outcome of each. */
  deliver(events: readonly { readonly requestId: string }[]): Result<string[]>;
  figures(): Result<MoneyFigures>;
}

interface Asked {
  readonly key: number;
  readonly boundNano: bigint;
  readonly floorNano: bigint;
}

type Outcome = 'SETTLED' | 'RELEASED' | 'LOST';

export type Step =
  | { readonly do: 'reserve'; readonly calls: readonly Asked[] }
  | { readonly do: 'repeat'; readonly pick: number }
  | { readonly do: 'expire'; readonly pick: number }
  | {
      readonly do: 'end';
      readonly pick: number;
      readonly costNano: bigint;
      readonly outcome: Outcome;
      /** Possible additional cost, which is a loss. */
      readonly lossNano: bigint;
    }
  | { readonly do: 'topup'; readonly amountNano: bigint }
  | { readonly do: 'day'; readonly ahead: number };

const nano = (max: bigint) => fc.bigInt(0n, max);
const asked = fc.record({ key: fc.nat(1), boundNano: nano(400n), floorNano: nano(400n) });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('reserve' as const),
      calls: fc.array(asked, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('repeat' as const, 'expire' as const), pick: fc.nat() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      pick: fc.nat(),
      costNano: nano(450n),
      outcome: fc.constantFrom<Outcome>('SETTLED', 'RELEASED', 'LOST'),
      lossNano: fc.oneof(fc.constant(0n), nano(450n)),
    }),
  },
  {
    weight: 1,
    // Also back by one day, because a clock that is set back must find the same windows.
    arbitrary: fc.record({ do: fc.constant('day' as const), ahead: fc.constantFrom(-1, 1, 1, 28, 31) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('topup' as const), amountNano: fc.bigInt(1n, 500n) }) },
);

export const steps = fc.array(step, { minLength: 10, maxLength: 50 });

export interface AccountIds {
  readonly accountId: string;
  readonly keyIds: readonly string[];
}

export const newAccountIds = (): AccountIds => ({
  accountId: `acct_${randomUUIDv7()}`,
  keyIds: KEY_LIMITS.map(() => `key_${randomUUIDv7()}`),
});

/** Runs the same steps on an implementation and on the model, and compares the results. */
export class MoneyRun {
  readonly #model = new Model();
  readonly #core: MoneyCore;
  readonly #ids: AccountIds;
  #atMs = Date.UTC(2028, 1, 28, 12);

  constructor(core: MoneyCore, ids: AccountIds) {
    this.#core = core;
    this.#ids = ids;
  }

  async run(all: readonly Step[]): Promise<void> {
    await this.#move(0);
    await this.#topup(1_000n);
    for (const one of all) await this.#apply(one);
    await this.#check();
  }

  #apply(one: Step): Promise<void> {
    if (one.do === 'reserve') return this.#reserve(one.calls);
    if (one.do === 'repeat') return this.#repeat(one.pick);
    if (one.do === 'expire') return this.#expire(one.pick);
    if (one.do === 'day') return this.#move(one.ahead);
    if (one.do === 'end') return this.#end(one);
    return this.#topup(one.amountNano);
  }

  get #day(): string {
    return new Date(this.#atMs).toISOString().slice(0, 10);
  }

  async #move(days: number): Promise<void> {
    this.#atMs += days * 86_400_000;
    await this.#core.setClock(this.#atMs);
  }

  async #topup(amountNano: bigint): Promise<void> {
    await this.#core.topup(amountNano);
    this.#model.balanceNano += amountNano;
  }

  async #reserve(asked: readonly Asked[]): Promise<void> {
    const calls = asked.map((one) => this.#callOf(one));
    const answers = await this.#core.reserve(calls);
    expect(answers).toHaveLength(calls.length);
    for (const [i, call] of calls.entries()) {
      const { key } = asked[i]!;
      const expected = this.#model.expected(this.#day, key, call.boundNano, call.floorNano);
      expect(answers[i]).toBe(expected);
      if (!expected.startsWith('granted')) continue;
      const holdNano = BigInt(expected.split(' ')[1]!);
      this.#model.calls.push({
        call,
        key,
        holdNano,
        day: this.#day,
        state: 'open',
        chargedNano: 0n,
        costNano: 0n,
      });
    }
  }

  #callOf({ key, boundNano, floorNano }: Asked): CallToAdmit {
    return {
      requestId: randomUUIDv7(),
      accountId: this.#ids.accountId,
      keyId: this.#ids.keyIds[key]!,
      valueId: '',
      model: 'sim/chat',
      ownerId: this.#ids.accountId,
      ownerEpoch: 1n,
      boundNano,
      floorNano: minBigint(floorNano, boundNano),
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
      modelOutputs: [],
      bareModelName: false,
    };
  }

  #pick(index: number) {
    return this.#model.calls[index % Math.max(1, this.#model.calls.length)];
  }

  async #repeat(index: number): Promise<void> {
    const known = this.#pick(index);
    if (!known) return;
    const expected = known.state === 'open' ? `granted ${known.holdNano}` : 'internal_error';
    expect(await this.#core.reserve([{ ...known.call, isNew: false, mayHaveHold: true }])).toEqual([
      expected,
    ]);
  }

  async #expire(index: number): Promise<void> {
    const known = this.#pick(index);
    if (known?.state !== 'open') return;
    await this.#core.expire(known.call.requestId);
    known.state = 'expired';
  }

  async #end({ pick, costNano, outcome, lossNano }: Step & { do: 'end' }): Promise<void> {
    const known = this.#pick(pick);
    if (!known) return;
    const { requestId, accountId, keyId } = known.call;
    const event = {
      requestId,
      accountId,
      keyId,
      outcome: `USAGE_OUTCOME_${outcome}` as const,
      costNano: String(costNano),
      ...(lossNano > 0n && { lossReason: 'LOSS_REASON_USAGE_UNKNOWN', lossNano: String(lossNano) }),
    };
    const first = known.state === 'over' ? 'duplicate' : 'applied';
    expect(await this.#core.deliver([event, event])).toEqual([first, 'duplicate']);
    if (known.state === 'over') return;
    const limits = [outcome === 'LOST' ? 0n : known.holdNano];
    if (known.state === 'expired') limits.push(this.#model.least(known.day, known.key));
    // A lost call counts as having cost its whole hold.
    known.costNano = { SETTLED: costNano, RELEASED: 0n, LOST: known.holdNano }[outcome];
    const charged = minBigint(known.costNano, ...limits);
    known.chargedNano = charged > 0n ? charged : 0n;
    const restNano = known.holdNano - known.costNano;
    if (restNano > 0n) known.costNano += minBigint(lossNano, restNano);
    known.state = 'over';
    this.#model.balanceNano -= known.chargedNano;
  }

  async #check(): Promise<void> {
    const model = this.#model;
    expect(await this.#core.figures()).toEqual({
      balanceNano: model.balanceNano,
      heldNano: model.held(),
      lossNano: model.loss(),
    });
    expect(model.balanceNano).toBeGreaterThanOrEqual(model.held());
    for (const { day } of model.calls) {
      expect(model.used(day)).toBeLessThanOrEqual(ACCOUNT_DAILY);
      for (const [key, { daily, monthly }] of KEY_LIMITS.entries()) {
        if (daily !== null) expect(model.used(day, key)).toBeLessThanOrEqual(daily);
        if (monthly !== null) expect(model.used(day.slice(0, 7), key)).toBeLessThanOrEqual(monthly);
      }
    }
  }
}
