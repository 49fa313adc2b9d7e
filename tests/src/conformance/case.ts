import type { AnyErrorCode } from '@gateway/errors';
import { beforeAll, expect, test } from '@jest/globals';
import { expectConforms, type Particulars } from '../support/conforms';
import type { HttpAnswer } from '../support/http';
import type { Customer, System } from '../support/system';
import type { Caller } from './caller';

/** What cases are provoked in. */
export interface World {
  readonly system: System;
  /** Has money and a key without limits; for cases that need no account of their own. */
  readonly customer: Customer;
  readonly caller: Caller;
}

/** One condition of one row of the error tables, and how to bring it about. */
export interface ConformanceCase extends Particulars {
  readonly code: AnyErrorCode;
  /** The row's condition. */
  readonly when: string;
  provoke(world: World): Promise<HttpAnswer>;
}

/** A test for each case; several run at a time, so each needs an account or nothing of its own. */
export function runCases(cases: readonly ConformanceCase[], world: () => World): void {
  for (const each of cases) {
    test.concurrent(titleOf(each), async () => {
      expectConforms(await each.provoke(world()), each.code, each);
    });
  }
  expectOwnNames(cases);
}

/** The same in a world that `prepare` has changed for these cases: all are provoked at once when it is ready. */
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
  expectOwnNames(cases);
}

const titleOf = ({ code, when }: ConformanceCase) => `${code}: ${when}`;

function expectOwnNames(cases: readonly ConformanceCase[]): void {
  test('each of these conditions is told apart by its name', () => {
    expect(new Set(cases.map(titleOf)).size).toBe(cases.length);
  });
}
