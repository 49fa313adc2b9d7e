import type { AnyErrorCode } from '@gateway/errors';
import { beforeAll, expect, test } from '@jest/globals';
import { expectConforms, type Particulars } from '../support/conforms';
import type { HttpAnswer } from '../support/http';
import type { Customer, System } from '../support/system';
import type { Caller } from './caller';

/** The gateway and the customer that cases use. */
export interface World {
  readonly system: System;
  /** Has money and a key without limits; for cases that do not change their account. */
  readonly customer: Customer;
  readonly caller: Caller;
}

/** One condition of one row of the error tables, and a call that causes it. */
export interface ConformanceCase extends Particulars {
  readonly code: AnyErrorCode;
  /** The condition, as part of the test's name. */
  readonly when: string;
  provoke(world: World): Promise<HttpAnswer>;
}

/** Defines a test for each case. They run concurrently, so a case that changes an account needs its own. */
export function runCases(cases: readonly ConformanceCase[], world: () => World): void {
  for (const each of cases) {
    test.concurrent(titleOf(each), async () => {
      expectConforms(await each.provoke(world()), each.code, each);
    });
  }
  expectUniqueNames(cases);
}

/** Defines the tests in a world that `prepare` changes first; then all cases are provoked concurrently. */
export function runCasesIn(
  prepare: () => Promise<void>,
  cases: readonly ConformanceCase[],
  world: () => World,
): void {
  let answers: readonly Promise<HttpAnswer>[];
  beforeAll(async () => {
    await prepare();
    answers = cases.map((each) => each.provoke(world()));
    await Promise.allSettled(answers);
  }, 60_000);
  for (const [index, each] of cases.entries()) {
    test(titleOf(each), async () => expectConforms(await answers[index]!, each.code, each));
  }
  expectUniqueNames(cases);
}

const titleOf = ({ code, when }: ConformanceCase) => `${code}: ${when}`;

function expectUniqueNames(cases: readonly ConformanceCase[]): void {
  test('each of these conditions has a unique name', () => {
    expect(new Set(cases.map(titleOf)).size).toBe(cases.length);
  });
}
