import { expect, jest, test } from '@jest/globals';
import { bufferedBody } from './buffered-body';

test('a buffered reply is delivered complete and then released', async () => {
  const bytes = Buffer.alloc(300_000, 'x');
  let overs = 0;
  const pieces: Buffer[] = [];
  for await (const piece of bufferedBody(bytes, () => overs++)) {
    expect(overs).toBe(0);
    pieces.push(piece);
  }
  expect([Buffer.concat(pieces).equals(bytes), pieces.length, overs]).toEqual([true, 3, 1]);
});

test('a buffered reply that is not read is released after a minute', () => {
  jest.useFakeTimers();
  try {
    let overs = 0;
    bufferedBody(Buffer.alloc(10), () => overs++);
    jest.advanceTimersByTime(59_999);
    expect(overs).toBe(0);
    jest.advanceTimersByTime(1);
    expect(overs).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});
