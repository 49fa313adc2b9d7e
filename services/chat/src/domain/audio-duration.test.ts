import { describe, expect, test } from '@jest/globals';
import { maxAudioSeconds } from './audio-duration';

const SPARE = 1;

interface Wav {
  readonly format?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  readonly samples?: Buffer;
  /** Chunks before the format. */
  readonly before?: Buffer;
}

function wav({
  format = 1,
  channels = 1,
  rate = 16_000,
  bits = 16,
  samples = Buffer.alloc(32_000),
  before,
}: Wav) {
  const head = Buffer.alloc(24);
  head.write('fmt ', 0);
  head.writeUInt32LE(16, 4);
  head.writeUInt16LE(format, 8);
  head.writeUInt16LE(channels, 10);
  head.writeUInt32LE(rate, 12);
  head.writeUInt32LE(rate * channels * (bits / 8), 16);
  head.writeUInt16LE(channels * (bits / 8), 20);
  head.writeUInt16LE(bits, 22);
  const data = Buffer.alloc(8);
  data.write('data', 0);
  // Streams do not know their length.
  data.writeUInt32LE(0xffffffff, 4);
  const riff = Buffer.from('RIFF\xff\xff\xff\xffWAVE', 'latin1');
  return Buffer.concat([riff, before ?? Buffer.alloc(0), head, data, samples]);
}

/** MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes that last 26 ms. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);
/** MPEG 2, layer III, 8 kbit/s, 16 kHz: 36 bytes that last 36 ms. */
const SLOW_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x18, 0x00]), Buffer.alloc(32)]);
const frames = (count: number, frame = FRAME) => Buffer.concat(Array.from({ length: count }, () => frame));

const secondsOf = (audio: Buffer) => maxAudioSeconds(audio.toString('base64'));

describe('the maximum duration of WAV', () => {
  test.each<[string, Wav, number]>([
    ['mono', {}, 1],
    ['stereo', { channels: 2 }, 0.5],
    ['a higher rate', { rate: 48_000 }, 1 / 3],
    ['bytes', { bits: 8, format: 7 }, 2],
    ['floating point', { bits: 32, format: 3 }, 0.5],
    ['one sample a second', { bits: 8, rate: 1 }, 32_000],
    ['a chunk before the format', { before: Buffer.from('LIST\x04\0\0\0abcd', 'latin1') }, 1],
  ])('is that of its samples: %s', (_, options, seconds) => {
    // The header counts as samples.
    expect(secondsOf(wav(options))! - SPARE).toBeGreaterThanOrEqual(seconds);
    expect(secondsOf(wav(options))! - SPARE).toBeLessThan(seconds * 1.01);
  });

  test.each<[string, Wav]>([
    ['another encoding', { format: 0x11 }],
    ['no channels', { channels: 0 }],
    ['a rate of zero', { rate: 0 }],
    ['a rate beyond any converter', { rate: 1_000_000_000 }],
    ['samples of an odd size', { bits: 7 }],
  ])('is that of the lowest rate for %s', (_, options) => {
    expect(secondsOf(wav(options))).toBeCloseTo(32.04 + SPARE, 1);
  });
});

describe('the maximum duration of MP3', () => {
  test('is that of its frames', () => {
    expect(secondsOf(frames(100))).toBeCloseTo((100 * 1_152) / 44_100 + SPARE, 2);
    expect(secondsOf(frames(100, SLOW_FRAME))).toBeCloseTo(3.6 + SPARE, 2);
  });

  test('does not count a tag before the frames', () => {
    const tag = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x10\0', 'latin1'), Buffer.alloc(2_048)]);
    expect(secondsOf(Buffer.concat([tag, frames(100)]))).toBeCloseTo((100 * 1_152) / 44_100 + SPARE, 2);
  });

  test('counts a tag that claims to be longer than the file as audio of the lowest rate', () => {
    const tag = Buffer.from('ID3\x03\0\0\x7f\x7f\x7f\x7f', 'latin1');
    expect(secondsOf(Buffer.concat([tag, Buffer.alloc(10_000)]))).toBeCloseTo(10 + SPARE, 0);
  });

  test('counts bytes between frames at the lowest rate', () => {
    const junk = Buffer.alloc(1_000);
    const seconds = secondsOf(Buffer.concat([frames(50), junk, frames(50)]))!;
    expect(seconds).toBeCloseTo((100 * 1_152) / 44_100 + 1 + SPARE, 2);
  });

  test('counts the rest of a file that stops to be MP3 at the lowest rate', () => {
    expect(secondsOf(Buffer.concat([frames(1), Buffer.alloc(100_000)]))).toBeCloseTo(100 + SPARE, 0);
  });

  test('is never less than its bytes last at the highest rate', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 256;
    };
    for (let round = 0; round < 50; round++) {
      const noise = Buffer.from(Array.from({ length: 2_000 }, random));
      const seconds = secondsOf(Buffer.concat([FRAME, noise]))!;
      expect(seconds - SPARE).toBeGreaterThanOrEqual(2_000 / 40_000);
    }
  });
});

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['Ogg', Buffer.from('OggS\0\x02', 'latin1')],
  ['FLAC', Buffer.from('fLaC\0\0', 'latin1')],
  ['text', Buffer.from('hello')],
])('%s has no maximum duration', (_, audio) => {
  expect(secondsOf(audio)).toBeUndefined();
});

test('base64 in the alphabet of URLs is read like any other', () => {
  const audio = frames(10);
  expect(maxAudioSeconds(audio.toString('base64url'))).toBe(secondsOf(audio));
});
