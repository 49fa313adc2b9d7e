import { expect, test } from '@jest/globals';
import { anOrder } from './image-order.fixture';
import { replyBytesOf } from './image-reply-bytes';
import { JobRoom } from './job-room';

const RATE_LIMITED = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 });

test('jobs and their bytes have a bound, those of one account a part of it', () => {
  const room = new JobRoom({ maxJobs: 5, maxBytes: 400 });
  const { give } = room.take('a', 60);
  expect(() => room.take('a', 60)).toThrow(RATE_LIMITED);
  room.take('a', 40);
  for (const account of ['b', 'c', 'd']) room.take(account, 1);
  expect(() => room.take('e', 1)).toThrow(RATE_LIMITED);
  give();
  give();
  room.take('e', 100);
  expect(() => room.take('f', 1)).toThrow(RATE_LIMITED);
});

test('a job that is over makes room for another, but its reply still takes its bytes', () => {
  const room = new JobRoom({ maxJobs: 1, maxBytes: 400 });
  const { jobOver, give } = room.take('a', 100);
  jobOver();
  jobOver();
  expect(() => room.take('a', 1)).toThrow(RATE_LIMITED);
  const other = room.take('b', 1);
  expect(() => room.take('c', 1)).toThrow(RATE_LIMITED);
  other.give();
  other.give();
  give();
  room.take('a', 100);
  expect(() => room.take('c', 1)).toThrow(RATE_LIMITED);
});

test('bytes are bounded over all accounts', () => {
  const room = new JobRoom({ maxJobs: 50, maxBytes: 400 });
  const [first] = ['a', 'b', 'c', 'd'].map((account) => room.take(account, 100));
  expect(() => room.take('e', 1)).toThrow(RATE_LIMITED);
  first!.give();
  room.take('e', 1);
});

test('a job that is larger than a part is let in where nothing else is', () => {
  const room = new JobRoom({ maxJobs: 5, maxBytes: 400 });
  const { give } = room.take('a', 1_000);
  expect(() => room.take('a', 1)).toThrow(RATE_LIMITED);
  give();
  room.take('a', 1);
});

test('a reply takes what its pixels do', () => {
  const MIB = 1024 ** 2;
  expect(replyBytesOf(anOrder({ n: 3, size: { width: 1_024, height: 1_024 } }))).toBe(6 * MIB);
  expect(replyBytesOf(anOrder({ size: { width: 256, height: 256 } }))).toBe(MIB);
  expect(replyBytesOf(anOrder({ n: 2 }))).toBe(4 * MIB);
});
