import { LINK_REPLY_WINDOW_BYTES } from '@gateway/link';
import { memoryQuota } from '@gateway/quota';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { MAX_REPLY_BYTES, ReplyMemory } from './reply-memory';

const MIB = 1024 * 1024;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const quotaOf = (mib: number) => memoryQuota(mib * MIB, 0);

/** Returns whether the memory was reserved without waiting. */
async function grown(reply: ReplyMemory, bytes: number): Promise<'grown' | 'waits'> {
  const reserved = reply.grow(bytes);
  await Promise.race([reserved, new Promise(process.nextTick)]);
  return reserved && reply.bytes < bytes ? 'waits' : 'grown';
}

test('a small reply reserves nothing; a larger reply reserves a first part, then the maximum, and keeps its own size at the end', async () => {
  const quota = quotaOf(512);
  const reply = new ReplyMemory(quota, 'a');
  expect([reply.grow(LINK_REPLY_WINDOW_BYTES), quota.used]).toEqual([undefined, 0]);
  await reply.grow(LINK_REPLY_WINDOW_BYTES + 1);
  expect([reply.grow(4 * MIB), quota.used]).toEqual([undefined, 4 * MIB]);
  await reply.grow(4 * MIB + 1);
  expect([reply.grow(MAX_REPLY_BYTES), quota.used]).toEqual([undefined, MAX_REPLY_BYTES]);
  reply.shrink(5 * MIB);
  expect(quota.used).toBe(5 * MIB);
  reply.release();
  reply.release();
  expect(quota.used).toBe(0);
});

test('an account may use as much memory as it leaves free; its next reply waits for another of its replies', async () => {
  const quota = quotaOf(512);
  const [first, ...rest] = Array.from({ length: 4 }, () => new ReplyMemory(quota, 'a'));
  for (const reply of [first!, ...rest]) expect(await grown(reply, MAX_REPLY_BYTES)).toBe('grown');
  const next = new ReplyMemory(quota, 'a');
  const waiting = next.grow(MIB);
  expect(await grown(new ReplyMemory(quota, 'b'), MIB)).toBe('grown');
  expect(next.bytes).toBe(0);
  first!.release();
  rest[0]!.shrink(30 * MIB);
  await waiting;
  expect(next.bytes).toBe(4 * MIB);
});

test('concurrent replies cannot exhaust the memory together: at least one can always be read completely', async () => {
  const quota = quotaOf(512);
  const all = Array.from({ length: 200 }, (_, n) => new ReplyMemory(quota, String(n % 20)));
  const begun: ReplyMemory[] = [];
  for (const reply of all) if ((await grown(reply, MIB)) === 'grown') begun.push(reply);
  expect(begun.length).toBeGreaterThan(50);
  const ends = await Promise.all(begun.map((reply) => grown(reply, MAX_REPLY_BYTES)));
  expect(ends).toContain('grown');
});

test('a reply does not wait for memory forever', async () => {
  const quota = quotaOf(128);
  await new ReplyMemory(quota, 'a').grow(MAX_REPLY_BYTES);
  const waiting = expect(new ReplyMemory(quota, 'a').grow(MIB)).rejects.toMatchObject({
    code: 'rate_limited',
  });
  await jest.advanceTimersByTimeAsync(30_000);
  await waiting;
  expect(quota.used).toBe(MAX_REPLY_BYTES);
});
