import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type EdgeDemand, leasePermits } from './throttle-lease';

const edge = (edgeId: string, wanted: bigint, granted?: bigint): EdgeDemand => ({ edgeId, wanted, granted });

describe('a throttle lease', () => {
  test.each<[string, bigint, EdgeDemand[], bigint]>([
    ['of the only edge gets the whole limit', 10n, [edge('a', 3n)], 10n],
    ['is proportional to demand', 100n, [edge('a', 30n), edge('b', 10n)], 75n],
    ['of an idle edge leaves nearly all permits to busy edges', 100n, [edge('a', 0n), edge('b', 99n)], 1n],
    [
      'is rounded up to one permit while one is left',
      2n,
      [edge('a', 1n), edge('b', 1n, 0n), edge('c', 1n, 0n)],
      1n,
    ],
    ['renewal takes from permits that no edge needs', 100n, [edge('a', 20n, 50n), edge('b', 20n, 40n)], 10n],
    ['renewal leaves the other edges their permits', 100n, [edge('a', 20n, 50n), edge('b', 20n)], 0n],
    ['is empty when all permits are leased', 10n, [edge('a', 5n), edge('b', 5n, 10n)], 0n],
    [
      'is empty when the limit was lowered below the leased permits',
      5n,
      [edge('a', 5n), edge('b', 5n, 10n)],
      0n,
    ],
  ])('%s', (_, limit, edges, permits) => {
    expect(leasePermits(limit, 'a', edges)).toBe(permits);
  });

  test('leases of all edges never exceed the limit of a second, whatever the edges request', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 50n),
        fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), wanted: fc.bigInt(0n, 80n) }), {
          maxLength: 30,
        }),
        (limit, asks) => {
          const edges = new Map<string, EdgeDemand>();
          let given = 0n;
          for (const { id, wanted } of asks) {
            const before = edges.get(id)?.granted;
            const others = [...edges.values()].filter(({ edgeId }) => edgeId !== id);
            const permits = leasePermits(limit, id, [...others, edge(id, wanted, before)]);
            expect(permits).toBeGreaterThanOrEqual(0n);
            given += permits;
            edges.set(id, edge(id, wanted, (before ?? 0n) + permits));
          }
          expect(given).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});
