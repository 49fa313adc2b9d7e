import type { AnyErrorCode } from '@gateway/proto';
import { expect, test } from '@jest/globals';
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

/** A test for each case; several run at a time unless `inTurn`, so each needs an account or nothing of its own. */
export function runCases(cases: readonly ConformanceCase[], world: () => World, inTurn = false): void {
  const run = inTurn ? test : test.concurrent;
  for (const each of cases) {
    run(`${each.code}: ${each.when}`, async () => {
      expectConforms(await each.provoke(world()), each.code, each);
    });
  }
  test('each of these conditions is told apart by its name', () => {
    const names = cases.map(({ code, when }) => `${code}: ${when}`);
    expect(new Set(names).size).toBe(names.length);
  });
}
