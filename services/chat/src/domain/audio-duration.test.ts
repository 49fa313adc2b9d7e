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
  /** Chunks after it. */
  readonly after?: Buffer;
}

function wav({
  format = 1,
  channels = 1,
  rate = 16_000,
  bits = 16,
  samples = Buffer.alloc(32_000),
  before = Buffer.alloc(0),
  after = Buffer.alloc(0),
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
  return Buffer.concat([riff, before, head, after, data, samples]);
}

/** MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes that last 26 ms. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);
/** MPEG 2, layer III, 8 kbit/s, 16 kHz: 36 bytes that last 36 ms. */
const SLOW_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x18, 0x00]), Buffer.alloc(32)]);
const frames = (count: number, frame = FRAME) => Buffer.concat(Array.from({ length: count }, () => frame));

/** A header of extensible WAV: samples of 64 bits, of which these are valid. */
function extensible(subformat: number, validBits: number): Buffer {
  const chunk = Buffer.alloc(48);
  chunk.write('fmt ', 0);
  chunk.writeUInt32LE(40, 4);
  for (const [at, value] of [
    [8, 0xfffe],
    [10, 1],
    [22, 64],
    [24, 22],
    [26, validBits],
    [32, subformat],
  ] as const)
    chunk.writeUInt16LE(value, at);
  chunk.writeUInt32LE(16_000, 12);
  const data = Buffer.from('data\xff\xff\xff\xff', 'latin1');
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), chunk, data, Buffer.alloc(128_000)]);
}

const secondsOf = (audio: Buffer) => maxAudioSeconds(audio.toString('base64'));

describe('the maximum duration of WAV', () => {
  test.each<[string, Wav, number]>([
    ['mono', {}, 1],
    ['stereo', { channels: 2 }, 0.5],
    ['a higher rate', { rate: 48_000 }, 1 / 3],
    ['bytes', { bits: 8, format: 7 }, 2],
    ['floating point', { bits: 32, format: 3 }, 0.5],
    ['one sample a second', { bits: 8, rate: 1 }, 32_000],
    ['A-law, whose samples have a byte whatever the header says', { bits: 64, format: 6 }, 2],
    ['a chunk before the format', { before: Buffer.from('LIST\x04\0\0\0abcd', 'latin1') }, 1],
  ])('is that of its samples: %s', (_, options, seconds) => {
    // The header counts as samples.
    expect(secondsOf(wav(options))! - SPARE).toBeGreaterThanOrEqual(seconds);
    expect(secondsOf(wav(options))! - SPARE).toBeLessThan(seconds * 1.01);
  });

  test.each<[string, Wav]>([
    ['another encoding, such as FLAC', { format: 0xf1ac }],
    ['no channels', { channels: 0 }],
    ['a rate of zero', { rate: 0 }],
    ['a rate beyond any converter', { rate: 1_000_000_000 }],
    ['samples of an odd size', { bits: 7 }],
    ['two headers', { after: wav({}).subarray(12, 36) }],
  ])('is unknown for %s', (_, options) => {
    expect(secondsOf(wav(options))).toBeUndefined();
  });
});

test.each<[string, number, number, number]>([
  ['all of its bits', 1, 64, 1],
  ['the valid bits, which some decoders take for the size', 1, 8, 8],
  ['a byte for A-law', 6, 64, 8],
])('extensible WAV has samples of %s', (_, subformat, validBits, seconds) => {
  expect(secondsOf(extensible(subformat, validBits))! - SPARE).toBeCloseTo(seconds, 1);
});

test('a header of WAV without the size of its samples is not completed from the next chunk', () => {
  const head = Buffer.from(wav({}).subarray(0, 34));
  head.writeUInt32LE(14, 16);
  const next = Buffer.from('\x40\0ab\0\0\0\0', 'latin1');
  const audio = Buffer.concat([head, next, wav({}).subarray(36)]);
  expect(secondsOf(audio)).toBeUndefined();
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

  test('is unknown for a tag that claims to be longer than the file', () => {
    const tag = Buffer.from('ID3\x03\0\0\x7f\x7f\x7f\x7f', 'latin1');
    expect(secondsOf(Buffer.concat([tag, Buffer.alloc(10_000)]))).toBeUndefined();
  });

  test('counts zeros between a tag and the frames at the lowest rate', () => {
    const tag = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');
    const seconds = secondsOf(Buffer.concat([tag, Buffer.alloc(2_000), frames(100)]));
    expect(seconds).toBeCloseTo((100 * 1_152) / 44_100 + 2 + SPARE, 2);
  });

  test('is unknown for another format after a tag, even if it contains a frame', () => {
    const tag = Buffer.from('ID3\x03\0\0\0\0\0\0fLaC\0', 'latin1');
    expect(secondsOf(Buffer.concat([tag, frames(100)]))).toBeUndefined();
  });

  test.each<[string, string]>([
    ['its size has eight bits a byte', 'ID3\x03\0\0\x80\0\x50\0'],
    ['its version is unknown', 'ID3\xff\0\0\0\0\x50\0'],
    ['it has unknown flags', 'ID3\x03\0\x01\0\0\x50\0'],
  ])('is unknown with a tag that decoders may read as audio: %s', (_, head) => {
    const tag = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(10_240)]);
    expect(secondsOf(Buffer.concat([tag, FRAME]))).toBeUndefined();
  });

  test.each<[string, Buffer]>([
    ['a gap', Buffer.alloc(1)],
    ['a frame of another rate', SLOW_FRAME],
  ])('counts everything after %s at the lowest rate, because frames may hide in others', (_, gap) => {
    const seconds = secondsOf(Buffer.concat([frames(50), gap, frames(50)]))!;
    expect(seconds).toBeCloseTo((50 * 1_152) / 44_100 + (gap.length + 50 * FRAME.length) / 1_000 + SPARE, 2);
  });

  test('counts what follows padding within base64, which decoders skip', () => {
    const hidden = frames(1_000, SLOW_FRAME).toString('base64');
    expect(maxAudioSeconds(`${frames(3).toString('base64')}=${hidden}`)!).toBeGreaterThan(36);
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

test('content of another format than the one by which it will be decoded has no maximum duration', () => {
  // A decoder of MP3 skips this header and finds the frames.
  const fast = wav({ rate: 384_000, channels: 64, bits: 64, samples: frames(100, SLOW_FRAME) });
  const data = fast.toString('base64');
  const mp3 = FRAME.toString('base64');
  for (const type of ['mp3', 'audio/mpeg', 'audio/ogg; codecs=wav'])
    expect(maxAudioSeconds(data, type)).toBeUndefined();
  for (const type of ['wav', 'audio/ogg', 'audio/L16']) expect(maxAudioSeconds(mp3, type)).toBeUndefined();
  for (const type of ['wav', 'audio/x-wav', 'audio/wave', undefined])
    expect(maxAudioSeconds(data, type)).toBeDefined();
  for (const type of ['mp3', 'audio/mp3', 'audio/MPEG', undefined])
    expect(maxAudioSeconds(mp3, type)).toBeDefined();
});

test('base64 in the alphabet of URLs is read like any other', () => {
  const audio = frames(10);
  expect(maxAudioSeconds(audio.toString('base64url'))).toBe(secondsOf(audio));
});
