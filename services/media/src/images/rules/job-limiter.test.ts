import { expect, test } from '@jest/globals';
import { anOrder } from './image-order.fixture';
import { replyBytesOf } from './image-reply-bytes';
import { JobLimiter } from './job-limiter';

const RATE_LIMITED = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 });

/** A job whose provider defaults to one per account. */
const by = (accountId: string, provider = accountId) => ({ accountId, provider });

test('limits jobs and their memory, and gives one account a part of it', () => {
  const limiter = new JobLimiter({ maxJobs: 5, maxBytes: 400 });
  const { release } = limiter.lease(by('a'), 60);
  expect(() => limiter.lease(by('a'), 60)).toThrow(RATE_LIMITED);
  limiter.lease(by('a'), 40);
  for (const account of ['b', 'c', 'd']) limiter.lease(by(account), 1);
  expect(() => limiter.lease(by('e'), 1)).toThrow(RATE_LIMITED);
  release();
  release();
  limiter.lease(by('e'), 100);
  expect(() => limiter.lease(by('f'), 1)).toThrow(RATE_LIMITED);
});

test('an ended job frees its slot, but its reply keeps its memory', () => {
  const limiter = new JobLimiter({ maxJobs: 1, maxBytes: 400 });
  const { endJob, release } = limiter.lease(by('a'), 100);
  endJob();
  endJob();
  expect(() => limiter.lease(by('a'), 1)).toThrow(RATE_LIMITED);
  const other = limiter.lease(by('b'), 1);
  expect(() => limiter.lease(by('c'), 1)).toThrow(RATE_LIMITED);
  other.release();
  other.release();
  release();
  limiter.lease(by('a'), 100);
  expect(() => limiter.lease(by('c'), 1)).toThrow(RATE_LIMITED);
});

test('limits the memory of all accounts together', () => {
  const limiter = new JobLimiter({ maxJobs: 50, maxBytes: 400 });
  const [first] = ['a', 'b', 'c', 'd'].map((account) => limiter.lease(by(account), 100));
  expect(() => limiter.lease(by('e'), 1)).toThrow(RATE_LIMITED);
  first!.release();
  limiter.lease(by('e'), 1);
});

test('a provider that hangs leaves slots and memory to the others', () => {
  const places = new JobLimiter({ maxJobs: 8, maxBytes: 4_000 });
  for (let jobs = 0; jobs < 6; jobs++) places.lease(by(`${jobs}`, 'hangs'), 1);
  expect(() => places.lease(by('next', 'hangs'), 1)).toThrow(RATE_LIMITED);
  const [other] = [1, 2].map((job) => places.lease(by(`other ${job}`, 'works'), 1));
  expect(() => places.lease(by('next', 'works'), 1)).toThrow(RATE_LIMITED);
  other!.endJob();
  places.lease(by('next', 'works'), 1);

  const memory = new JobLimiter({ maxJobs: 50, maxBytes: 400 });
  for (const account of ['a', 'b', 'c']) memory.lease(by(account, 'hangs'), 100);
  for (let tries = 0; tries < 9; tries++) {
    expect(() => memory.lease(by('d', 'hangs'), 50)).toThrow(RATE_LIMITED);
  }
  memory.lease(by('d', 'works'), 100);
  expect(() => memory.lease(by('d', 'works'), 1)).toThrow(RATE_LIMITED);
});

test('a job larger than the part of an account is admitted when the account has no other', () => {
  const limiter = new JobLimiter({ maxJobs: 5, maxBytes: 400 });
  const { release } = limiter.lease(by('a'), 1_000);
  expect(() => limiter.lease(by('a'), 1)).toThrow(RATE_LIMITED);
  release();
  limiter.lease(by('a'), 1);
});

test('the memory of a reply is estimated from its pixels', () => {
  const MIB = 1024 ** 2;
  expect(replyBytesOf(anOrder({ n: 3, size: { width: 1_024, height: 1_024 } }))).toBe(6 * MIB);
  expect(replyBytesOf(anOrder({ size: { width: 256, height: 256 } }))).toBe(MIB);
  expect(replyBytesOf(anOrder({ n: 2 }))).toBe(4 * MIB);
});
