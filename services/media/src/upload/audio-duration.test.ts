import { wav } from '@gateway/testing';
import { expect, test } from '@jest/globals';
import type { AudioKind, Upload } from '../domain/upload';
import { durationOf } from './audio-duration';

const uploadOf = (kind: AudioKind, bytes: Buffer): Upload => ({
  ...{ part: 'file', kind, bytes: bytes.length },
  async *open() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  },
});

/** Frames of MPEG-1 Layer III at 128 kbit/s and 44.1 kHz, without a header of the whole file. */
const mp3 = (frames: number): Buffer =>
  Buffer.concat(
    Array.from({ length: frames }, () =>
      Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)]),
    ),
  );

test.each<[AudioKind, Buffer, number]>([
  ['wav', wav(3), 3_000],
  ['mp3', mp3(100), (100 * 1_152 * 1_000) / 44_100],
])('measures %s, and bounds it by two seconds more', async (kind, bytes, ms) => {
  const { measuredMs, maximumMs } = await durationOf(uploadOf(kind, bytes));
  expect(Math.abs(measuredMs - ms)).toBeLessThan(60);
  expect(maximumMs).toBe(Math.ceil(measuredMs / 1_000) * 1_000 + 2_000);
});

test('bounds a file that cannot be read by its bytes at the lowest rate', async () => {
  const measured = await durationOf(uploadOf('webm', Buffer.alloc(7_500)));
  expect(measured).toEqual({ measuredMs: 10_000, maximumMs: 10_000 });
});

test('does not believe a header that claims less than the bytes can be', async () => {
  const { measuredMs } = await durationOf(uploadOf('wav', wav(2_000, 16_000)));
  expect(measuredMs).toBeGreaterThanOrEqual(32_000_044 / 1_600);
});

test('does not believe a header that claims more than the bytes can be', async () => {
  const { measuredMs } = await durationOf(uploadOf('wav', wav(1, 4_000_000_000)));
  expect(measuredMs).toBeLessThanOrEqual(10_028);
});
