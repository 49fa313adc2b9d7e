import { expect, test } from '@jest/globals';
import { FailureDetector } from './failure-detector';

const watch = () => {
  const silence = new FailureDetector(800);
  return (nowMs: number, beats: Record<string, bigint>) =>
    silence
      .findSilent(
        Object.entries(beats).map(([id, count]) => ({ id, beats: count })),
        nowMs,
      )
      .map(({ id }) => id);
};

test('an instance without new heartbeats for the lease is reported, and not after it resumes', () => {
  const look = watch();
  for (const nowMs of [0, 300, 600, 799]) expect(look(nowMs, { a: 7n, b: BigInt(nowMs) })).toEqual([]);
  expect(look(800, { a: 7n, b: 801n })).toEqual(['a']);
  expect(look(1_000, { a: 8n, b: 1_001n })).toEqual([]);
  expect(look(1_300, { a: 8n, b: 1_301n })).toEqual([]);
});

test('a pause of the detector restarts the lease of every instance', () => {
  const look = watch();
  for (const nowMs of [0, 400, 700]) look(nowMs, { a: 7n });
  expect(look(1_200, { a: 7n })).toEqual([]);
  for (const nowMs of [1_600, 1_999]) expect(look(nowMs, { a: 7n })).toEqual([]);
  expect(look(2_000, { a: 7n })).toEqual(['a']);
});

test('an instance that has left is reported at once', () => {
  const look = watch();
  expect(look(0, { a: -1n, b: 3n })).toEqual(['a']);
});

test('an instance that returns after its removal gets a full lease', () => {
  const look = watch();
  for (const nowMs of [0, 400]) look(nowMs, { a: 1n });
  look(700, {});
  expect(look(1_000, { a: 1n })).toEqual([]);
});

test('a dead instance is reported after the lease and within a quarter of it, whenever the detector runs', () => {
  const EIGHTH = 100;
  for (let beatAt = 0; beatAt < EIGHTH; beatAt += 7) {
    for (let lookAt = 0; lookAt < EIGHTH; lookAt += 7) {
      for (let diesAt = 1_000; diesAt < 1_000 + EIGHTH; diesAt += 9) {
        const look = watch();
        const beatsAt = (nowMs: number) => BigInt(Math.floor((Math.min(nowMs, diesAt) - beatAt) / EIGHTH));
        let knownAt = lookAt;
        while (look(knownAt, { a: beatsAt(knownAt) + 1n }).length === 0) knownAt += EIGHTH;
        expect(knownAt - diesAt).toBeGreaterThan(800 - EIGHTH);
        expect(knownAt - diesAt).toBeLessThanOrEqual(800 + 2 * EIGHTH);
      }
    }
  }
});
