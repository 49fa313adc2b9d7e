import {
  compressedWavFile,
  flacFile,
  fragmentedFile,
  m4aFile,
  mp3File,
  OPUS_HEAD,
  OPUS_PACKET,
  oggFile,
  oggPage,
  wav,
  webmFile,
} from '@gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { type AudioKind, AudioMeasurement } from './measure-audio';

function measured(kind: AudioKind, file: Buffer, pieceBytes = 65_536) {
  const measurement = new AudioMeasurement(kind, file.length);
  for (let pass = 1; ; pass++) {
    for (let at = 0; at < file.length; at += pieceBytes) measurement.push(file.subarray(at, at + pieceBytes));
    const duration = measurement.end();
    if (duration) return duration;
    expect(pass).toBe(1);
  }
}

const MP3_FRAME_SECONDS = 1_152 / 44_100;
const FILES: readonly (readonly [string, AudioKind, Buffer, number])[] = [
  ['WAV whose header claims a second', 'wav', wav(100, 16_000), 100],
  [
    'ADPCM in WAV whose fact claims a second',
    'wav',
    compressedWavFile(0x11, 4, Buffer.alloc(800_000), 16_000),
    100,
  ],
  [
    'MP3 in WAV whose fact claims a second',
    'wav',
    compressedWavFile(0x55, 0, Buffer.alloc(100_000), 16_000),
    100,
  ],
  ['MP3 whose Xing header claims a second', 'mp3', mp3File(4_000, 38), 4_000 * MP3_FRAME_SECONDS],
  ['AAC in MP4 whose mvhd, mdhd and stts claim a second', 'mp4', m4aFile(2_000, 1), 128],
  ['Opus in WebM whose Duration claims a second', 'webm', webmFile(2_000, 1), 120],
  ['Opus in Ogg whose granule positions claim a second', 'ogg', oggFile(2_000), 120],
  ['Opus in Ogg with a page for each packet', 'ogg', oggFile(2_000, 1), 120],
  ['FLAC whose STREAMINFO claims a second', 'flac', flacFile(500, 16_000), 128],
  [
    'FLAC after an ID3 tag',
    'mp3',
    Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'), flacFile(500, 16_000)]),
    128,
  ],
];

describe('the duration of a file is that of its frames', () => {
  test.each(FILES)('%s', (_, kind, file, seconds) => {
    for (const pieceBytes of [65_536, 1_000]) {
      const duration = measured(kind, file, pieceBytes);
      expect(duration.seconds).toBeGreaterThanOrEqual(seconds - 0.001);
      expect(duration.seconds).toBeLessThan(seconds * 1.01);
      expect(duration.maxSeconds).toBeLessThan(seconds * 1.01);
    }
  });

  /** 8 kbit/s at 8 kHz, and 11.025 kHz: MPEG 2.5. */
  const slowFrame = (rateBits: number, bytes: number) => {
    const frame = Buffer.alloc(bytes);
    frame.writeUInt32BE(0xffe31000 + (rateBits << 10));
    return frame;
  };
  const at8kHz = slowFrame(2, 72);
  const at11kHz = slowFrame(0, 52);
  /** 8 kbit/s at 16 kHz. */
  const layer2Frame = Buffer.alloc(72);
  layer2Frame.writeUInt32BE(0xfff518c0);
  /** AAC at 16 kHz with an ADTS header. */
  const adtsFrame = Buffer.from([0xff, 0xf1, 0x60, 0x40, 0x01, 0x7f, 0xfc, 1, 0x18, 0x20, 7]);

  test.each<[string, Buffer[], number]>([
    ['that follow one another', Array.from({ length: 1_000 }, () => at8kHz), 72],
    ['after a gap', [Buffer.alloc(3), ...Array.from({ length: 1_000 }, () => at8kHz)], 72],
    [
      'that alternate after a gap',
      [Buffer.alloc(3), ...Array.from({ length: 1_000 }, () => [at8kHz, at11kHz]).flat()],
      124.24,
    ],
  ])('frames of MP3 of another sample rate count: %s', (_, frames, seconds) => {
    const measurement = measured('mp3', Buffer.concat([mp3File(1, 38), ...frames]));
    expect(measurement.seconds).toBeGreaterThan(seconds);
    expect(measurement.seconds).toBeLessThan(seconds + 0.2);
    expect(measurement.maxSeconds).toBeGreaterThanOrEqual(measurement.seconds);
  });

  /** SILK of 10, 20, 40 and 60 ms, and CELT of 2.5 ms. */
  const opusPackets = [0x00, 0x08, 0x10, 0x18, 0x80].map((first) => Buffer.from([first, 1, 2, 3]));
  const opus = { codec: 'opus' } as const;

  test.each<[string, Buffer, number]>([
    ['before its tables', m4aFile(500, 1, { ...opus, packet: OPUS_PACKET }), 30],
    ['of 10 ms, whose headers claim more', m4aFile(500, 10, { ...opus, packet: opusPackets[0]! }), 5],
    ['in fragments', fragmentedFile(Array<Buffer[]>(100).fill(opusPackets).flat()), 13.25],
  ])('packets of Opus in MP4 count as long as each is: %s', (_, file, seconds) => {
    for (const pieceBytes of [65_536, 100]) {
      const duration = measured('mp4', file, pieceBytes);
      expect(duration.seconds).toBeCloseTo(seconds);
      expect(duration.maxSeconds).toBeLessThanOrEqual(Math.max(seconds, 10));
    }
  });

  /** STREAMINFO, and 100 frames of 256 ms. */
  const flacInfo = flacFile(0, 1).subarray(4);
  const flacFrames = flacFile(100, 1).subarray(4 + flacInfo.length);
  const inWebm = (...head: number[]) =>
    webmFile(1, 1, {
      codec: 'A_FLAC',
      config: Buffer.concat([Buffer.from('fLaC'), flacInfo]),
      block: Buffer.concat([Buffer.from(head), flacFrames]),
    });
  test.each<[string, AudioKind, Buffer]>([
    ['MP4', 'mp4', m4aFile(1, 1, { codec: 'flac', packet: flacFrames })],
    ['WebM', 'webm', inWebm(0x80)],
    ['a lace of WebM', 'webm', inWebm(2, 1, 11)],
  ])('all frames of FLAC in one packet count: %s', (_, kind, file) => {
    expect(measured(kind, file).seconds).toBeCloseTo(25.6);
  });

  test('packets of FLAC in MP4 count as long as each is, whatever the header of the file claims', () => {
    const frame = flacFile(1, 0).subarray(4 + 4 + 34);
    expect(measured('mp4', m4aFile(100, 1, { codec: 'flac', packet: frame })).seconds).toBeCloseTo(25.6);
  });

  test.each<[string, Buffer]>([
    ['at one place', m4aFile(500, 1, { ...opus, chunks: Array<number>(500).fill(24) })],
    [
      'in the reverse order',
      m4aFile(500, 1, { ...opus, chunks: Array.from({ length: 500 }, (_, at) => 24 + 4 * (499 - at)) }),
    ],
    [
      'beyond the file',
      m4aFile(500, 1, { ...opus, chunks: Array.from({ length: 500 }, (_, at) => 9_000 + 4 * at) }),
    ],
    ['at fewer places than there are', m4aFile(500, 1, { ...opus, chunks: [24] })],
    ['of two codecs', m4aFile(500, 1, { ...opus, entries: 2 })],
    ['without bytes', m4aFile(500, 1, { ...opus, packet: Buffer.alloc(0) })],
  ])('packets of Opus in MP4 count as the longest if their tables have them %s', (_, file) => {
    expect(measured('mp4', file).seconds).toBeCloseTo(60);
  });

  test.each<[string, AudioKind, Buffer, number]>([
    ['MP4', 'mp4', m4aFile(1, 1, { packet: Buffer.alloc(40_000, Buffer.from([1, 0x18, 0x20, 7])) }), 640],
    [
      'ADTS',
      'mp3',
      Buffer.concat(
        Array(10).fill(
          Buffer.concat([Buffer.from([0xff, 0xf1, 0x60, 0x40, 0xfa, 0xff, 0xfc]), Buffer.alloc(2_000, 1)]),
        ),
      ),
      320,
    ],
  ])('a packet of AAC that is larger than any frame counts as many: %s', (_, kind, file, seconds) => {
    const tag = kind === 'mp3' ? Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1') : Buffer.alloc(0);
    expect(measured(kind, Buffer.concat([tag, file])).seconds).toBeCloseTo(seconds);
  });

  /** Elements of Matroska (RFC 9559, 5.1.4.1.29). */
  const RATE = 0xb5;
  const OUTPUT_RATE = 0x78b5;
  /** Frames of AAC at 16 kHz in one block. @param flags of the block @param sizes of the frames, as the kind of lacing tells them */
  const laced = (flags: number, frames: readonly number[], sizes: readonly number[]) =>
    webmFile(1, 1, {
      codec: 'A_AAC',
      config: Buffer.from([0x14, 0x08]),
      block: Buffer.concat([
        Buffer.from([flags, frames.length - 1, ...sizes]),
        ...frames.map((bytes) => Buffer.alloc(bytes, 1)),
      ]),
    });

  test.each<[string, Buffer, number]>([
    ['of one size', laced(4, [400, 400, 400, 400], []), 4 * 0.064],
    ['of several sizes', laced(2, [400, 4, 300], [255, 145, 4]), 3 * 0.064],
    ['of several sizes, by their differences', laced(6, [400, 4, 300], [0x41, 0x90, 0x5e, 0x73]), 3 * 0.064],
    ['of which one is larger than any', laced(2, [4, 4, 4_000], [4, 4]), 64],
    ['the same by their differences', laced(6, [4, 4, 4_000], [0x84, 0xbf]), 64],
    ['of the first', laced(6, [4_000, 4, 4], [0x4f, 0xa0, 0x50, 0x63]), 64],
    [
      'whose sizes exceed the block',
      laced(2, [4, 4, 4_000], [4, 255, 255, 255, 255, ...Array(20).fill(255), 4]),
      64,
    ],
  ])('laced frames of AAC in WebM count as many as they may hold: %s', (_, file, seconds) => {
    expect(measured('webm', file).seconds / seconds).toBeCloseTo(1, 1);
  });

  test.each<[string, Readonly<Record<number, number>>, number]>([
    ['one rate', { [RATE]: 16_000 }, 0.5],
    ['a lower rate of the output', { [RATE]: 48_000, [OUTPUT_RATE]: 8_000 }, 1],
    ['a rate that no file has', { [RATE]: 1e300 }, 16],
    ['an endless rate', { [RATE]: Number.POSITIVE_INFINITY }, 16],
  ])('samples in WebM count by the rate that decoders take: %s', (_, rates, seconds) => {
    const block = Buffer.concat([Buffer.from([0x80]), Buffer.alloc(16_000)]);
    const file = webmFile(1, 1, { codec: 'A_PCM/INT/LIT', config: Buffer.alloc(0), rates, block });
    expect(measured('webm', file).seconds).toBeCloseTo(seconds);
  });

  test('the pauses between the blocks of WebM count for the maximum', () => {
    const late = Buffer.from(webmFile(2, 0));
    late.writeInt16BE(30_000, late.length - 3 - 3);
    const { seconds, maxSeconds } = measured('webm', late);
    expect([seconds, maxSeconds]).toEqual([0.12, 30]);
  });

  test('streams of Ogg that follow one another are added up', () => {
    expect(measured('ogg', Buffer.concat([oggFile(100), oggFile(50)])).seconds).toBeCloseTo(9);
  });

  test('a page of Ogg within a page counts, because a decoder that refuses the outer one finds it', () => {
    const hidden = oggPage(0, [OPUS_PACKET, OPUS_PACKET]);
    const file = Buffer.concat([oggFile(50), oggPage(0, [hidden])]);
    expect(measured('ogg', file).seconds).toBeGreaterThan(3.11);
  });

  const packets = (count: number) => Array<Buffer>(count).fill(OPUS_PACKET);
  /** @param blocks exponents of the sizes of short and long blocks */
  const vorbisHead = (rate: number, blocks: number) => {
    const head = Buffer.alloc(30);
    head.write('\x01vorbis', 'latin1');
    head[11] = 1;
    head.writeUInt32LE(rate, 12);
    head.set([blocks, 1], 28);
    return head;
  };
  /** 64 ms each at 16 kHz with blocks of 2,048 samples. */
  const vorbis = Array<Buffer>(50).fill(Buffer.from([0, 0]));

  test.each<[string, Buffer[], number]>([
    ['that have the flag of the first page', [oggFile(1), oggPage(2, packets(50))], 6],
    ['of a stream without a header', [oggFile(1), oggPage(0, packets(50), 0, 9)], 9.4],
    ['that begin with a header', [oggPage(2, [OPUS_HEAD, ...packets(50)])], 3],
    [
      'that are each a stream of their own',
      Array.from({ length: 1_200 }, (_, at) => oggPage(2, [OPUS_HEAD, ...packets(4)], 0, at)),
      288,
    ],
    [
      'of what begins in the middle as a stream of pictures',
      [oggFile(1), oggPage(2, [Buffer.from('\x80theora', 'latin1')], 0, 9), oggPage(0, packets(50), 0, 9)],
      9.4,
    ],
    [
      'of Vorbis after another header',
      [oggPage(2, [vorbisHead(16_000, 0xb8)]), oggPage(2, [vorbisHead(192_000, 0x66)]), oggPage(0, vorbis)],
      3.2,
    ],
    [
      'of Vorbis after the header of another stream',
      [
        oggPage(2, [vorbisHead(16_000, 0xb8)]),
        oggPage(2, [vorbisHead(192_000, 0x66)], 0, 9),
        oggPage(0, vorbis, 0, 9),
      ],
      3.2,
    ],
  ])('pages of Ogg count: %s', (_, pages, seconds) => {
    const duration = measured('ogg', Buffer.concat(pages));
    expect(duration.seconds).toBeGreaterThanOrEqual(seconds - 0.001);
    expect(duration.seconds).toBeLessThan(seconds * 1.4 + 3);
    expect(duration.maxSeconds).toBe(duration.seconds);
  });

  test('the pictures of Ogg do not count', () => {
    const theora = oggPage(2, [Buffer.from('\x80theora', 'latin1')], 0, 9);
    const file = Buffer.concat([theora, oggFile(50), oggPage(0, packets(50), 0, 9)]);
    expect(measured('ogg', file).seconds).toBeCloseTo(3);
  });

  test.each<[string, Buffer, number]>([
    [
      'with zeros between them',
      Buffer.concat(Array(100).fill(Buffer.concat([at8kHz, Buffer.alloc(9)]))),
      7.2,
    ],
    [
      'within what looks like longer ones',
      Buffer.concat(
        Array(100).fill(
          Buffer.concat([
            Buffer.from([0, 0xff, 0xfb, 0xe8, 0xc4]),
            ...Array<Buffer>(19).fill(at8kHz),
            Buffer.alloc(68),
          ]),
        ),
      ),
      100 * 19 * 0.072,
    ],
    ['of layer II', Buffer.concat(Array(100).fill(layer2Frame)), 7.2],
    ['of AAC', Buffer.concat(Array(100).fill(adtsFrame)), 6.4],
  ])('frames of MP3 after the first one count: %s', (_, frames, seconds) => {
    const duration = measured('mp3', Buffer.concat([mp3File(0), frames]), 777);
    expect(duration.seconds).toBeGreaterThan(seconds);
    expect(duration.seconds).toBeLessThan(seconds + 0.2);
    expect(duration.maxSeconds).toBeGreaterThanOrEqual(duration.seconds);
  });

  test('a frame of MP3 alone within other bytes does not count, because no decoder takes it', () => {
    const file = Buffer.concat([
      mp3File(100),
      ...Array(50).fill(Buffer.concat([Buffer.from('junk'), at8kHz])),
    ]);
    const { seconds, maxSeconds } = measured('mp3', file);
    expect(seconds).toBeCloseTo(101 * MP3_FRAME_SECONDS);
    expect(maxSeconds).toBeCloseTo(seconds + 3.8);
  });

  test('what is hardly frames counts as 8 kbit/s', () => {
    const { seconds } = measured('mp3', Buffer.concat([mp3File(2), Buffer.from('other '.repeat(2_000))]));
    expect(seconds).toBeGreaterThan(12);
  });

  test.each<[AudioKind, Buffer, number]>([
    ['ogg', oggFile(200), 12],
    ['mp4', m4aFile(200, 1), 12.8],
    ['webm', webmFile(200, 1), 12],
    ['wav', wav(12), 12],
  ])('%s after ID3 tags is read', (_, file, seconds) => {
    const tag = Buffer.from('ID3\x03\0\0\0\0\0\x05first', 'latin1');
    const duration = measured('mp3', Buffer.concat([tag, tag, file]));
    expect(duration.seconds).toBeCloseTo(seconds);
    expect(duration.maxSeconds).toBeCloseTo(seconds);
  });
});

describe('a file that cannot be read counts as silence of the lowest rate for the maximum', () => {
  test.each<[string, AudioKind, Buffer]>([
    ['WAV of another format', 'wav', compressedWavFile(0x1234, 4, Buffer.alloc(10_000), 1)],
    ['MP4 without tables', 'mp4', m4aFile(2_000, 1).subarray(0, 8_000)],
    ['MP4 with two tables', 'mp4', Buffer.concat([m4aFile(2_000, 1), m4aFile(2_000, 1)])],
    ['WebM that is not', 'webm', Buffer.alloc(10_000)],
    ['text after an ID3 tag', 'mp3', Buffer.from(`ID3\x03\0\0\0\0\0\0${'text '.repeat(2_000)}`, 'latin1')],
  ])('%s', (_, kind, file) => {
    const { seconds, maxSeconds } = measured(kind, file);
    expect(seconds).toBeCloseTo(file.length / 1_000);
    expect(maxSeconds).toBeCloseTo(file.length / 50);
  });
});

test('files with random changes have a duration', () => {
  let state = 11;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (const [, kind, file] of FILES)
    for (let round = 0; round < 100; round++) {
      const changed = Buffer.from(
        file.subarray(kind === 'mp4' && round % 2 ? file.length - 700 : 0, file.length),
      );
      for (let change = 0; change <= round % 10; change++)
        changed[random(Math.min(changed.length, 600))] = random(256);
      const { seconds, maxSeconds } = measured(kind, changed.subarray(0, 20_000), 777);
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(maxSeconds).toBeGreaterThanOrEqual(seconds);
    }
});
