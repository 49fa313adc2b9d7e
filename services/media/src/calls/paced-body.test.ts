import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pacedBody } from './paced-body';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const PACE = { graceMs: 1_000, leastBytesPerSecond: 100 };

function begin(pieces: number, pieceBytes = 100) {
  const events: string[] = [];
  async function* feed() {
    try {
      for (let at = 0; at < pieces; at++) yield Buffer.alloc(pieceBytes);
    } finally {
      events.push('feed closed');
    }
  }
  const body = pacedBody({
    body: feed(),
    pace: PACE,
    onSlow: () => events.push('slow'),
    onOver: () => events.push('over'),
  });
  return { events, reader: body[Symbol.asyncIterator]() };
}

test('a body that is read in time is delivered complete and then releases its slot', async () => {
  const { events, reader } = begin(3);
  for (let at = 0; at < 3; at++) {
    expect((await reader.next()).value).toHaveLength(100);
    jest.advanceTimersByTime(900);
  }
  expect(events).toEqual([]);
  expect((await reader.next()).done).toBe(true);
  jest.advanceTimersByTime(10_000);
  expect(events).toEqual(['feed closed', 'over']);
});

test('a reader that is too slow loses its slot and gets an error', async () => {
  const { events, reader } = begin(100, 10);
  // Each chunk earns 0.1 s, and each read takes 0.5 s.
  await reader.next();
  await reader.next();
  jest.advanceTimersByTime(500);
  await reader.next();
  jest.advanceTimersByTime(500);
  await reader.next();
  jest.advanceTimersByTime(299);
  expect(events).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(events).toEqual(['slow', 'over']);
  await expect(reader.next()).rejects.toThrow('too slowly');
  expect(events).toEqual(['slow', 'over', 'feed closed']);
});

test('a body that is never read releases its slot after the grace period', () => {
  const { events } = begin(1);
  jest.advanceTimersByTime(999);
  expect(events).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(events).toEqual(['slow', 'over']);
});

test('a reader that stops early releases its slot at once', async () => {
  const { events, reader } = begin(3);
  await reader.next();
  await reader.return?.();
  expect(events).toEqual(['feed closed', 'over']);
  jest.advanceTimersByTime(10_000);
  expect(events).toHaveLength(2);
});
