import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Route, routeName, routesOf } from './route';
import { targetOf } from './route.fixture';
import { placementOf, type Session, type Strategy } from './strategy';
import type { Target } from './target';
import { TargetHealth } from './target-health';

const credential = (id: string, weight = 1) => ({ id, name: id, weight });
const accountsOf = (id: string) => [{ provider: { id }, credential: credential('main') }];

let nowMs: number;
let health: TargetHealth;
beforeEach(() => {
  nowMs = 0;
  health = new TargetHealth(() => nowMs, 10_000);
});

const order = (
  targets: readonly Target[],
  strategy: Strategy,
  session?: Session,
  accounts: Parameters<typeof routesOf>[1] = accountsOf,
): Route[] => routesOf({ targets }, accounts, () => placementOf(strategy, targets, health, session));

const names = (routes: readonly Route[]) => routes.map(({ provider }) => provider.id).join('');
const sessionOf = (key: string, pinned?: string): Session => ({ key, pinned });

describe('calls of a session', () => {
  const targets = ['a', 'b', 'c', 'd'].map((id) => targetOf(id));

  test('are all tried in the same order, calls of different sessions in different orders', () => {
    const first = names(order(targets, 'weighted', sessionOf('one')));
    for (let call = 0; call < 100; call++) {
      expect(names(order(targets, 'weighted', sessionOf('one')))).toBe(first);
    }
    const all = Array.from({ length: 500 }, (_, at) =>
      names(order(targets, 'weighted', sessionOf(`s${at}`))),
    );
    expect(new Set(all).size).toBe(24);
  });

  test('are placed by weight', () => {
    const weighted = [targetOf('a', { weight: 6 }), targetOf('b', { weight: 3 }), targetOf('c')];
    const firsts = { a: 0, b: 0, c: 0 };
    const sessions = 20_000;
    for (let at = 0; at < sessions; at++) {
      const [first] = order(weighted, 'weighted', sessionOf(`session ${at}`));
      firsts[first!.provider.id as 'a' | 'b' | 'c']++;
    }
    expect(firsts.a / sessions).toBeCloseTo(0.6, 1.7);
    expect(firsts.b / sessions).toBeCloseTo(0.3, 1.7);
    expect(firsts.c / sessions).toBeCloseTo(0.1, 1.7);
  });

  test('keep their target when another one is added or removed, unless it was theirs', () => {
    for (let at = 0; at < 500; at++) {
      const session = sessionOf(`s${at}`);
      const before = names(order(targets, 'weighted', session));
      const without = names(order(targets.slice(0, 3), 'weighted', session));
      expect(without).toBe(before.replace('d', ''));
    }
  });

  test('are tried first where the last one was answered, within its priority', () => {
    const [a, b, c] = [
      targetOf('a', { priority: 0 }),
      targetOf('b', { priority: 1 }),
      targetOf('c', { priority: 1 }),
    ];
    const pinned = routeName({ ...accountsOf('c')[0]!, target: c });
    for (const strategy of [
      'weighted',
      'priority',
      'least-busy',
      'lowest-latency',
      'lowest-price',
    ] as const) {
      expect(names(order([a, b, c], strategy, sessionOf('s', pinned)))).toBe('acb');
    }
  });
});

describe('the strategy', () => {
  const [a, b, c] = [targetOf('a'), targetOf('b'), targetOf('c')];
  const routeTo = (target: Target): Route => ({ ...accountsOf(target.provider)[0]!, target });

  test('priority tries targets in the order of the catalog', () => {
    for (let call = 0; call < 50; call++) expect(names(order([b, a, c], 'priority'))).toBe('bac');
  });

  test('never tries a target of a higher priority number first', () => {
    const spare = targetOf('b', { priority: 1, cost: { input: 1n, output: 1n } });
    health.enter(routeTo(a));
    health.recordSuccess(routeTo(a), 9_000);
    for (const strategy of ['priority', 'least-busy', 'lowest-latency', 'lowest-price'] as const) {
      expect(names(order([spare, a], strategy))).toBe('ab');
    }
  });

  test('least-busy tries the target with the fewest calls in flight first', () => {
    for (const target of [a, a, c]) health.enter(routeTo(target));
    expect(names(order([a, b, c], 'least-busy'))).toBe('bca');
    health.leave(routeTo(a));
    health.leave(routeTo(a));
    health.enter(routeTo(b));
    expect(names(order([a, b, c], 'least-busy'))[0]).toBe('a');
  });

  test('lowest-latency tries targets without a known latency first, then the fastest; similar ones share calls', () => {
    health.recordSuccess(routeTo(a), 1_000);
    health.recordSuccess(routeTo(b), 200);
    expect(names(order([a, b, c], 'lowest-latency'))).toBe('cba');
    health.recordSuccess(routeTo(c), 205);
    const firsts = new Set(Array.from({ length: 200 }, () => names(order([a, b, c], 'lowest-latency'))));
    expect([...firsts].sort()).toEqual(['bca', 'cba']);
    nowMs = 10 * 60_000;
    const later = new Set(Array.from({ length: 200 }, () => names(order([a, b, c], 'lowest-latency'))[0]));
    expect([...later].sort()).toEqual(['a', 'b', 'c']);
  });

  test('lowest-price tries the target with the lowest cost first, and those without a known cost last', () => {
    const cheap = targetOf('a', { cost: { input: 100n, output: 900n } });
    const cheaper = targetOf('b', { cost: { input: 200n, output: 500n } });
    for (let call = 0; call < 50; call++) {
      expect(names(order([c, cheap, cheaper], 'lowest-price'))).toBe('bac');
    }
  });
});
