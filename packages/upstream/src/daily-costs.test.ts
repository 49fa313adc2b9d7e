import { beforeEach, describe, expect, test } from '@jest/globals';
import { DailyCosts } from './daily-costs';

const NOON = Date.parse('2026-01-31T12:00:00Z');
const LATE = Date.parse('2026-01-31T23:59:59.999Z');
const NEXT_DAY = Date.parse('2026-02-01T00:00:00Z');

let nowMs: number;
let catalog: FakeCatalog;
let one: DailyCosts;
let two: DailyCosts;

/** Keeps the highest cost that each instance has reported for each credential and day. */
class FakeCatalog {
  readonly #reported = new Map<string, Map<DailyCosts, bigint>>();

  exchange(instance: DailyCosts): void {
    const report = instance.report();
    const totals = new Map<string, bigint>();
    for (const [id, nano] of report.costs) {
      const key = `${report.day} ${id}`;
      const byInstance = this.#reported.get(key) ?? new Map<DailyCosts, bigint>();
      this.#reported.set(key, byInstance.set(instance, nano));
      totals.set(
        id,
        [...byInstance.values()].reduce((sum, cost) => sum + cost),
      );
    }
    instance.received(report, totals);
  }
}

const startInstance = (): DailyCosts => {
  const costs = new DailyCosts(() => nowMs);
  costs.replaceCredentials([
    { provider: 'p', id: 'limited', name: 'main', limitNano: 100n },
    { provider: 'p', id: 'free', name: 'spare' },
  ]);
  return costs;
};

beforeEach(() => {
  nowMs = NOON;
  catalog = new FakeCatalog();
  one = startInstance();
  two = startInstance();
});

test('a credential is spent when the calls of this process have cost its limit', () => {
  one.add('limited', 99n);
  expect(one.isSpent('limited')).toBe(false);
  one.add('limited', 1n);
  expect(one.isSpent('limited')).toBe(true);
});

test('a credential without a limit is never spent', () => {
  one.add('free', 10n ** 15n);
  expect(one.isSpent('free')).toBe(false);
});

test('credentials that the catalog does not have are not counted', () => {
  one.add('environment', 5n);
  expect(one.report().costs).toEqual(new Map([['limited', 0n]]));
});

test('instances see the costs of each other after an exchange, and their own ones at once', () => {
  one.add('limited', 60n);
  two.add('limited', 30n);
  catalog.exchange(one);
  catalog.exchange(two);
  expect([one.isSpent('limited'), two.isSpent('limited')]).toEqual([false, false]);
  two.add('limited', 10n);
  expect([one.isSpent('limited'), two.isSpent('limited')]).toEqual([false, true]);
  catalog.exchange(two);
  catalog.exchange(one);
  expect(one.isSpent('limited')).toBe(true);
});

test('an instance that starts later knows what was spent after its first exchange', () => {
  one.add('limited', 100n);
  catalog.exchange(one);
  const restarted = startInstance();
  expect(restarted.isSpent('limited')).toBe(false);
  catalog.exchange(restarted);
  expect(restarted.isSpent('limited')).toBe(true);
});

test('costs between a report and its answer are counted once', () => {
  one.add('limited', 40n);
  const report = one.report();
  one.add('limited', 50n);
  one.received(report, new Map([['limited', 40n]]));
  expect(one.usedParts()).toEqual([{ provider: 'p', name: 'main', used: 0.9 }]);
  expect(one.report().costs.get('limited')).toBe(90n);
});

test('while the catalog is unreachable, the last known costs of the others and the own ones count', () => {
  two.add('limited', 60n);
  catalog.exchange(two);
  catalog.exchange(one);
  two.add('limited', 30n);
  one.add('limited', 39n);
  expect(one.isSpent('limited')).toBe(false);
  one.add('limited', 1n);
  expect(one.isSpent('limited')).toBe(true);
});

test('a new UTC day starts at zero, also for an answer to a report of the day before', () => {
  one.add('limited', 100n);
  nowMs = LATE;
  const report = one.report();
  expect(report.day).toBe('2026-01-31');
  expect(one.isSpent('limited')).toBe(true);
  nowMs = NEXT_DAY;
  expect(one.isSpent('limited')).toBe(false);
  one.received(report, new Map([['limited', 500n]]));
  expect(one.isSpent('limited')).toBe(false);
  expect(one.report()).toEqual({ day: '2026-02-01', costs: new Map([['limited', 0n]]) });
});

describe('a report', () => {
  test('contains credentials with a limit always, others only while they have changed', () => {
    expect([...one.report().costs.keys()]).toEqual(['limited']);
    one.add('free', 7n);
    expect(one.report().costs).toEqual(
      new Map([
        ['limited', 0n],
        ['free', 7n],
      ]),
    );
    catalog.exchange(one);
    expect([...one.report().costs.keys()]).toEqual(['limited']);
  });

  test('repeats what was reported without an answer', () => {
    one.add('free', 7n);
    one.report();
    expect(one.report().costs.get('free')).toBe(7n);
  });
});

test('a changed limit applies to what was spent before, and a deleted credential is forgotten', () => {
  one.add('free', 50n);
  one.add('limited', 50n);
  one.replaceCredentials([{ provider: 'p', id: 'free', name: 'spare', limitNano: 50n }]);
  expect(one.isSpent('free')).toBe(true);
  one.replaceCredentials([{ provider: 'p', id: 'limited', name: 'main', limitNano: 50n }]);
  expect(one.isSpent('limited')).toBe(false);
});
