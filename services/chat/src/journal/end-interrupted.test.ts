import { type CellBilling, Cells, type UsageEvent } from '@gateway/call-billing';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { releaseUnknownHolds } from './end-interrupted';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

/** Billing of a cell with these open holds. */
const billing = (name: string, holds: readonly string[]): CellBilling => {
  const client = {
    getChannel: () => ({ getConnectivityState: () => 2 }),
    ListOpenHolds(
      _request: object,
      _metadata: object,
      _options: object,
      callback: (e: null, a: object) => void,
    ) {
      const listed = holds.map((requestId) => ({ requestId, accountId: 'a', keyId: 'k', model: 'sim/chat' }));
      setImmediate(() => callback(null, { holds: listed }));
      return { cancel: () => {} };
    },
  };
  return { name, client } as unknown as CellBilling;
};

test('holds of any cell that the journal does not know are released, also those of requests that arrive late', async () => {
  const [atHome, inCell] = [['known', 'unknown'], ['of b']];
  const released: [string, string][] = [];
  const ending = {
    cells: new Cells(billing('', atHome), new Map([['b', billing('b', inCell)]])),
    journal: { final: async () => {} },
    outbox: { add: ({ requestId, cell }: UsageEvent) => void released.push([requestId, cell]) },
    signal: new AbortController().signal,
  };
  await releaseUnknownHolds(ending, { id: 'chat', epoch: 2n }, ['known']);
  expect(released.sort()).toEqual([
    ['of b', 'b'],
    ['unknown', ''],
  ]);

  for (const [late, afterMs] of [
    ['of a frozen process', 5_000],
    ['of a cut-off process', 25_000],
  ] as const) {
    atHome.push(late);
    await jest.advanceTimersByTimeAsync(afterMs);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(released.at(-1)).toEqual([late, '']);
  }
  expect(released).toHaveLength(4);
});
