import { expect, test } from '@jest/globals';
import { environmentAccount, routesOf } from './route';
import { targetOf } from './route.fixture';
import type { Target } from './target';

type Model = Parameters<typeof routesOf>[0];

const accountsOf = (id: string) => (['a', 'b', 'c'].includes(id) ? [environmentAccount({ id })] : []);
const modelTo = (...targets: Target[]): Model => ({ targets });

/** Returns a deterministic generator of uniform random numbers (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Counts each order of providers among that many draws. */
function ordersOf(model: Model, draws: number): Map<string, number> {
  const random = seeded(1);
  const orders = new Map<string, number>();
  for (let draw = 0; draw < draws; draw++) {
    const order = routesOf(model, accountsOf, () => ({ draw: random }))
      .map(({ provider }) => provider.id)
      .join('');
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  return orders;
}

test('tries targets with a lower priority number first, whatever their weights', () => {
  const model = modelTo(
    targetOf('a', { priority: 2, weight: 1_000_000 }),
    targetOf('b', { priority: 0 }),
    targetOf('c', { priority: 1, weight: 1_000 }),
  );
  expect([...ordersOf(model, 1_000)]).toEqual([['bca', 1_000]]);
});

test('draws targets of equal priority by weight, and the remaining ones by weight again', () => {
  const model = modelTo(
    targetOf('a', { weight: 6 }),
    targetOf('b', { weight: 3 }),
    targetOf('c', { weight: 1 }),
  );
  const draws = 20_000;
  const orders = ordersOf(model, draws);
  const shares = { abc: 0.6 * 0.75, acb: 0.6 * 0.25, bac: 0.3 * (6 / 7), bca: 0.3 / 7, cab: 0.1 * (2 / 3) };
  for (const [order, share] of Object.entries(shares)) {
    expect([order, Math.abs((orders.get(order) ?? 0) / draws - share) < 0.01]).toEqual([order, true]);
  }
});

test('keeps two targets of one provider with different upstream models', () => {
  const model = modelTo(targetOf('a', { upstreamModel: 'x' }), targetOf('a', { upstreamModel: 'y' }));
  const names = routesOf(model, accountsOf, () => ({ draw: seeded(1) })).map(
    ({ target }) => target.upstreamModel,
  );
  expect(names.sort()).toEqual(['x', 'y']);
});

test('omits targets of providers that are not configured', () => {
  const names = (...ids: string[]) =>
    routesOf(modelTo(...ids.map((id) => targetOf(id))), accountsOf, () => ({ draw: seeded(1) })).map(
      ({ provider }) => provider.id,
    );
  expect(names('x', 'b')).toEqual(['b']);
  expect(names('x', 'y')).toEqual([]);
});

test('divides the weight of a target among the credentials of its provider', () => {
  const credential = (id: string, weight: number) => ({
    provider: { id: 'a' },
    credential: { id, name: id, weight },
  });
  const accounts = [credential('heavy', 3), credential('light', 1), credential('spare', 0)];
  const model = modelTo(targetOf('a'), targetOf('b'));
  const random = seeded(1);
  const firsts: Record<string, number> = {};
  for (let draw = 0; draw < 8_000; draw++) {
    const routes = routesOf(
      model,
      (id) => (id === 'a' ? accounts : accountsOf(id)),
      () => ({ draw: random }),
    );
    const first = routes[0]!.credential.id;
    firsts[first] = (firsts[first] ?? 0) + 1;
    expect(routes.at(-1)!.credential.id).toBe('spare');
  }
  expect(Object.keys(firsts).sort()).toEqual(['environment', 'heavy', 'light']);
  expect(firsts.heavy! / 8_000).toBeCloseTo(0.375, 1);
  expect(firsts.light! / 8_000).toBeCloseTo(0.125, 1);
});
