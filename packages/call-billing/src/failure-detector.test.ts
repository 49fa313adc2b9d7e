import { expect, test } from '@jest/globals';
import { FailureDetector } from './failure-detector';

const watch = () => {
  const detector = new FailureDetector(800);
  return (nowMs: number, beats: Record<string, bigint>) =>
    detector
      .findSilent(
        Object.entries(beats).map(([id, count]) => ({ id, beats: count })),
        nowMs,
      )
      .map(({ id }) => id);
};

test('an instance without new heartbeats for the lease is reported, and not after it resumes', () => {
  const detect = watch();
  for (const nowMs of [0, 300, 600, 799]) expect(detect(nowMs, { a: 7n, b: BigInt(nowMs) })).toEqual([]);
  expect(detect(800, { a: 7n, b: 801n })).toEqual(['a']);
  expect(detect(1_000, { a: 8n, b: 1_001n })).toEqual([]);
  expect(detect(1_300, { a: 8n, b: 1_301n })).toEqual([]);
});

test('a pause of the detector restarts the lease of every instance', () => {
  const detect = watch();
  for (const nowMs of [0, 400, 700]) detect(nowMs, { a: 7n });
  expect(detect(1_200, { a: 7n })).toEqual([]);
  for (const nowMs of [1_600, 1_999]) expect(detect(nowMs, { a: 7n })).toEqual([]);
  expect(detect(2_000, { a: 7n })).toEqual(['a']);
});

test('an instance that has left is reported at once', () => {
  const detect = watch();
  expect(detect(0, { a: -1n, b: 3n })).toEqual(['a']);
});

test('an instance that returns after its removal gets a full lease', () => {
  const detect = watch();
  for (const nowMs of [0, 400]) detect(nowMs, { a: 1n });
  detect(700, {});
  expect(detect(1_000, { a: 1n })).toEqual([]);
});

test('a dead instance is reported after the lease and within a quarter of it, whenever the detector runs', () => {
  const EIGHTH = 100;
  for (let beatAt = 0; beatAt < EIGHTH; beatAt += 7) {
    for (let detectAt = 0; detectAt < EIGHTH; detectAt += 7) {
      for (let diesAt = 1_000; diesAt < 1_000 + EIGHTH; diesAt += 9) {
        const detect = watch();
        const beatsAt = (nowMs: number) => BigInt(Math.floor((Math.min(nowMs, diesAt) - beatAt) / EIGHTH));
        let knownAt = detectAt;
        while (detect(knownAt, { a: beatsAt(knownAt) + 1n }).length === 0) knownAt += EIGHTH;
        expect(knownAt - diesAt).toBeGreaterThan(800 - EIGHTH);
        expect(knownAt - diesAt).toBeLessThanOrEqual(800 + 2 * EIGHTH);
      }
    }
  }
});
