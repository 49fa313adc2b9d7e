import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type EdgeDemand, leasePermits } from './throttle-lease';

const edge = (edgeId: string, wanted: bigint, granted?: bigint): EdgeDemand => ({ edgeId, wanted, granted });

describe('a lease', () => {
  test.each<[string, bigint, EdgeDemand[], bigint]>([
    ['alone has all', 10n, [edge('a', 3n)], 10n],
    ['is a share by demand', 100n, [edge('a', 30n), edge('b', 10n)], 75n],
    ['of an idle edge leaves nearly all to the busy', 100n, [edge('a', 0n), edge('b', 99n)], 1n],
    [
      'of less than one is one while there is one',
      2n,
      [edge('a', 1n), edge('b', 1n, 0n), edge('c', 1n, 0n)],
      1n,
    ],
    ['again is what it wants of what is nobody’s', 100n, [edge('a', 20n, 50n), edge('b', 20n, 40n)], 10n],
    ['again leaves the others theirs', 100n, [edge('a', 20n, 50n), edge('b', 20n)], 0n],
    ['is nothing when all was given', 10n, [edge('a', 5n), edge('b', 5n, 10n)], 0n],
    ['is nothing when the limit fell below what was given', 5n, [edge('a', 5n), edge('b', 5n, 10n)], 0n],
  ])('%s', (_, limit, edges, permits) => {
    expect(leasePermits(limit, 'a', edges)).toBe(permits);
  });

  test('however edges come and ask, what they get in a second stays within the limit', () => {
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
