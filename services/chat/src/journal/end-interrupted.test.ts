import { Cells, type UsageEvent } from '@gateway/call-billing';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { releaseUnknownHolds } from './end-interrupted';
import { cellBilling } from './journal.fixture';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

test('holds of any cell that the journal does not know are released, also those of requests that arrive late', async () => {
  const [atHome, inCell] = [['known', 'unknown'], ['of b']];
  const released: [string, string][] = [];
  const ending = {
    cells: new Cells(cellBilling('', atHome), new Map([['b', cellBilling('b', inCell)]])),
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
