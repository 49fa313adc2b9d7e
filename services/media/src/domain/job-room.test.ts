import { expect, test } from '@jest/globals';
import { anOrder } from '../images/rules/image-order.fixture';
import { replyBytesOf } from '../images/rules/image-reply-bytes';
import { JobRoom } from './job-room';

const RATE_LIMITED = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 });
const busyBy = (takenBy: string) => expect.objectContaining({ room: 'images', takenBy });

/** Each by a provider of its own, unless it is told. */
const by = (accountId: string, provider = accountId) => ({ accountId, provider });

test('jobs and their bytes have a bound, those of one account a part of it', () => {
  const room = new JobRoom({ maxJobs: 5, maxBytes: 400 });
  const { give } = room.take(by('a'), 60);
  expect(() => room.take(by('a'), 60)).toThrow(RATE_LIMITED);
  room.take(by('a'), 40);
  for (const account of ['b', 'c', 'd']) room.take(by(account), 1);
  expect(() => room.take(by('e'), 1)).toThrow(RATE_LIMITED);
  give();
  give();
  room.take(by('e'), 100);
  expect(() => room.take(by('f'), 1)).toThrow(RATE_LIMITED);
});

test('a job that is over makes room for another, but its reply still takes its bytes', () => {
  const room = new JobRoom({ maxJobs: 1, maxBytes: 400 });
  const { jobOver, give } = room.take(by('a'), 100);
  jobOver();
  jobOver();
  expect(() => room.take(by('a'), 1)).toThrow(RATE_LIMITED);
  const other = room.take(by('b'), 1);
  expect(() => room.take(by('c'), 1)).toThrow(RATE_LIMITED);
  other.give();
  other.give();
  give();
  room.take(by('a'), 100);
  expect(() => room.take(by('c'), 1)).toThrow(RATE_LIMITED);
});

test('bytes are bounded over all accounts', () => {
  const room = new JobRoom({ maxJobs: 50, maxBytes: 400 });
  const [first] = ['a', 'b', 'c', 'd'].map((account) => room.take(by(account), 100));
  expect(() => room.take(by('e'), 1)).toThrow(RATE_LIMITED);
  first!.give();
  room.take(by('e'), 1);
});

test('a provider that hangs keeps neither all places nor all memory from the others', () => {
  const places = new JobRoom({ maxJobs: 8, maxBytes: 4_000 });
  for (let jobs = 0; jobs < 6; jobs++) places.take(by(`${jobs}`, 'hangs'), 1);
  expect(() => places.take(by('next', 'hangs'), 1)).toThrow(busyBy('provider'));
  const [other] = [1, 2].map((job) => places.take(by(`other ${job}`, 'works'), 1));
  expect(() => places.take(by('next', 'works'), 1)).toThrow(busyBy('all'));
  other!.jobOver();
  places.take(by('next', 'works'), 1);

  const memory = new JobRoom({ maxJobs: 50, maxBytes: 400 });
  for (const account of ['a', 'b', 'c']) memory.take(by(account, 'hangs'), 100);
  for (let tries = 0; tries < 9; tries++) {
    expect(() => memory.take(by('d', 'hangs'), 50)).toThrow(busyBy('provider'));
  }
  memory.take(by('d', 'works'), 100);
  expect(() => memory.take(by('d', 'works'), 1)).toThrow(busyBy('account'));
});

test('a job that is larger than a part is let in where nothing else is', () => {
  const room = new JobRoom({ maxJobs: 5, maxBytes: 400 });
  const { give } = room.take(by('a'), 1_000);
  expect(() => room.take(by('a'), 1)).toThrow(RATE_LIMITED);
  give();
  room.take(by('a'), 1);
});

test('a reply takes what its pixels do', () => {
  const MIB = 1024 ** 2;
  expect(replyBytesOf(anOrder({ n: 3, size: { width: 1_024, height: 1_024 } }))).toBe(6 * MIB);
  expect(replyBytesOf(anOrder({ size: { width: 256, height: 256 } }))).toBe(MIB);
  expect(replyBytesOf(anOrder({ n: 2 }))).toBe(4 * MIB);
});
