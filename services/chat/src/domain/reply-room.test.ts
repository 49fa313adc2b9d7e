import { LINK_WINDOW_BYTES } from '@gateway/link';
import { BodyRoom } from '@gateway/quota';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type HeldReply, MAX_REPLY_BYTES, ReplyRoom } from './reply-room';

const MIB = 1024 * 1024;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const roomOf = (mib: number) => new ReplyRoom(new BodyRoom(mib * MIB, 0));

/** What became of it in its turn. */
async function grown(reply: HeldReply, bytes: number): Promise<'grown' | 'waits'> {
  const room = reply.grow(bytes);
  await Promise.race([room, new Promise(process.nextTick)]);
  return room && reply.bytes < bytes ? 'waits' : 'grown';
}

test('a small reply takes nothing, a larger one first a part, then enough for the largest, and keeps what it is', async () => {
  const room = roomOf(512);
  const reply = room.hold('a');
  expect([reply.grow(LINK_WINDOW_BYTES), room.usedBytes]).toEqual([undefined, 0]);
  await reply.grow(LINK_WINDOW_BYTES + 1);
  expect([reply.grow(4 * MIB), room.usedBytes]).toEqual([undefined, 4 * MIB]);
  await reply.grow(4 * MIB + 1);
  expect([reply.grow(MAX_REPLY_BYTES), room.usedBytes]).toEqual([undefined, MAX_REPLY_BYTES]);
  reply.end(5 * MIB);
  expect(room.usedBytes).toBe(5 * MIB);
  reply.give();
  reply.give();
  expect(room.usedBytes).toBe(0);
});

test('an account has as much as it leaves to the others; its next reply waits for one of its own', async () => {
  const room = roomOf(512);
  const [first, ...rest] = Array.from({ length: 4 }, () => room.hold('a'));
  for (const reply of [first!, ...rest]) expect(await grown(reply, MAX_REPLY_BYTES)).toBe('grown');
  const next = room.hold('a');
  const waiting = next.grow(MIB);
  expect(await grown(room.hold('b'), MIB)).toBe('grown');
  expect(next.bytes).toBe(0);
  first!.give();
  rest[0]!.end(30 * MIB);
  await waiting;
  expect(next.bytes).toBe(4 * MIB);
});

test('replies that begin together do not fill the room together: one can always be read to its end', async () => {
  const room = roomOf(512);
  const all = Array.from({ length: 200 }, (_, n) => room.hold(String(n % 20)));
  const begun: HeldReply[] = [];
  for (const reply of all) if ((await grown(reply, MIB)) === 'grown') begun.push(reply);
  expect(begun.length).toBeGreaterThan(50);
  const ends = await Promise.all(begun.map((reply) => grown(reply, MAX_REPLY_BYTES)));
  expect(ends).toContain('grown');
});

test('nobody waits for ever', async () => {
  const room = roomOf(128);
  await room.hold('a').grow(MAX_REPLY_BYTES);
  const waiting = expect(room.hold('a').grow(MIB)).rejects.toMatchObject({ code: 'rate_limited' });
  await jest.advanceTimersByTimeAsync(30_000);
  await waiting;
  expect(room.usedBytes).toBe(MAX_REPLY_BYTES);
});
