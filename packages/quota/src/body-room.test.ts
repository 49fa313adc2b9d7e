import { expect, test } from '@jest/globals';
import { BodyRoom } from './body-room';

const MIB = 1024 * 1024;

test('each sender may have as much as it leaves to the others, and the last eighth is for those with little', () => {
  const room = new BodyRoom(64 * MIB, MIB);
  expect(room.take('a', 33 * MIB)).toBe(false);
  expect(room.take('a', 32 * MIB)).toBe(true);
  expect(room.take('b', 16 * MIB)).toBe(true);
  expect(room.take('c', 8 * MIB)).toBe(true);
  expect([room.take('a', 1), room.take('d', MIB), room.take('d', 64 * 1024)]).toEqual([false, false, true]);
  room.give('a', 32 * MIB);
  expect([room.take('d', 16 * MIB), room.usedBytes]).toEqual([true, 40 * MIB + 64 * 1024]);
});

test('a small body is refused only where nobody has room', () => {
  const room = new BodyRoom(MIB, 0);
  expect(room.takeWhole('a', MIB / 2)).toBe(true);
  expect(room.takeWhole('b', MIB / 4)).toBe(true);
  // Less is left now than this sender has.
  expect([room.takeWhole('a', 100_000), room.takeWhole('a', 1_000), room.takeWhole('a', 0)]).toEqual([
    false,
    true,
    true,
  ]);
  while (room.takeWhole('a', 10_000));
  expect(room.leftBytes).toBeLessThan(10_000);
  expect(room.takeWhole('c', 10_000)).toBe(false);
  while (room.usedBytes > (3 * MIB) / 4 + 1_000) room.giveWhole('a', 10_000);
  room.giveWhole('a', 1_000);
  room.giveWhole('a', MIB / 2);
  room.giveWhole('b', MIB / 4);
  expect([room.usedBytes, room.takeWhole('a', MIB / 2)]).toEqual([0, true]);
});
