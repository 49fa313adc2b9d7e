import type { AudioKind } from '@gateway/audio';
import { m4aFile, mp3File, oggFile, wav } from '@gateway/testing';
import { describe, expect, test } from '@jest/globals';
import type { Upload } from '../domain/upload';
import { audioCpuQuota, durationOf } from './audio-duration';

const uploadOf = (kind: AudioKind, bytes: Buffer): Upload => ({
  ...{ part: 'file', kind, bytes: bytes.length },
  async *open() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  },
});

const read = (upload: Upload, cpu = audioCpuQuota(100_000)) => durationOf(upload, 'account', cpu);

test.each<[AudioKind, Buffer, number]>([
  ['wav', wav(3), 3_000],
  ['mp3', mp3File(100), (100 * 1_152 * 1_000) / 44_100],
])('measures %s, and bounds it by two seconds more', async (kind, bytes, ms) => {
  const { measuredMs, maximumMs } = await read(uploadOf(kind, bytes));
  expect(Math.abs(measuredMs - ms)).toBeLessThan(60);
  expect(maximumMs).toBe(Math.ceil(measuredMs / 1_000) * 1_000 + 2_000);
});

test('does not believe a header that claims a second', async () => {
  const { measuredMs } = await read(uploadOf('wav', wav(2_000, 16_000)));
  expect(measuredMs).toBeGreaterThanOrEqual(2_000_000);
});

test('does not believe a header that claims more than the bytes are', async () => {
  const { measuredMs } = await read(uploadOf('wav', wav(1, 4_000_000_000)));
  expect(measuredMs).toBeLessThanOrEqual(1_003);
});

test('reads a file again whose tables are behind what they tell of', async () => {
  const packet = Buffer.from([0x00, 1, 2]);
  const { measuredMs } = await read(uploadOf('mp4', m4aFile(500, 1, { codec: 'opus', packet })));
  expect(measuredMs).toBeCloseTo(5_000);
});

describe('an account that has used up its CPU time', () => {
  const tinyPages = uploadOf('ogg', oggFile(100_000, 1));

  test('waits for more', async () => {
    let nowMs = 0;
    const clock = setInterval(() => {
      nowMs += 500;
    }, 10);
    try {
      const { measuredMs } = await durationOf(
        tinyPages,
        'account',
        audioCpuQuota(2, () => nowMs),
      );
      expect(measuredMs).toBeCloseTo(6_000_000);
    } finally {
      clearInterval(clock);
    }
  });

  test('is refused if that takes too long', async () => {
    const reading = durationOf(
      tinyPages,
      'account',
      audioCpuQuota(2, () => 0),
      200,
    );
    await expect(reading).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
