/** Files of silence whose headers claim another duration. */

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};
const repeated = (count: number, piece: Buffer): Buffer => Buffer.alloc(count * piece.length, piece);

/** MPEG-1 Layer III at 128 kbit/s and 44.1 kHz, mono: frames of 26 ms, after a Xing header that claims another number of them. */
export function mp3File(frames: number, claimedFrames = frames): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0xc4]);
  const header = Buffer.from(frame);
  // After the side information of one channel.
  header.write('Xing', 21);
  // It has the number of frames and of bytes.
  header.writeUInt32BE(3, 25);
  header.writeUInt32BE(claimedFrames, 29);
  header.writeUInt32BE((claimedFrames + 1) * frame.length, 33);
  return Buffer.concat([header, repeated(frames, frame)]);
}

/** Packets of 60 ms of silence. */
export const OPUS_PACKET = bytes(0x18, 0xff, 0xfe);

/** A page of Ogg without a checksum. @param flags 2: the first page of its stream */
export function oggPage(flags: number, packets: readonly Buffer[], granules = 0, serial = 0): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head[5] = flags;
  head.writeUInt32LE(granules, 6);
  head.writeUInt32LE(serial, 14);
  head[26] = packets.length;
  return Buffer.concat([head, bytes(...packets.map(({ length }) => length)), ...packets]);
}

export const OPUS_HEAD = Buffer.concat([
  Buffer.from('OpusHead'),
  bytes(1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0),
]);

/** Opus in Ogg, whose pages all claim the position of one second. */
export function oggFile(packets: number, perPage = 50): Buffer {
  const page = oggPage(0, Array<Buffer>(perPage).fill(OPUS_PACKET), 48_000);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  return Buffer.concat([
    oggPage(2, [OPUS_HEAD]),
    oggPage(0, [tags]),
    repeated(Math.ceil(packets / perPage), page),
  ]);
}

/** An element of Matroska. @param size undefined: not known */
function element(id: number, content: Buffer, size: number | undefined = content.length): Buffer {
  const name = Buffer.from(id.toString(16), 'hex');
  const length = size === undefined ? bytes(0xff) : Buffer.concat([bytes(0x08), uint32(size)]);
  return Buffer.concat([name, length, content]);
}

const double = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
};

interface WebmSound {
  readonly codec: string;
  /** Of the codec. */
  readonly config: Buffer;
  /** Rates of its samples, which have 16 bits, by the ids of their elements. */
  readonly rates?: Readonly<Record<number, number>>;
  /** After the number of the track and the time: flags, and frames that may be laced. */
  readonly block: Buffer;
}

const OPUS_SOUND: WebmSound = {
  codec: 'A_OPUS',
  config: OPUS_HEAD,
  block: Buffer.concat([bytes(0x80), OPUS_PACKET]),
};

/** Sound in WebM, in one cluster of unknown size. */
export function webmFile(packets: number, claimedSeconds: number, sound: WebmSound = OPUS_SOUND): Buffer {
  const rates = Object.entries(sound.rates ?? {}).map(([id, rate]) => element(Number(id), double(rate)));
  const track = Buffer.concat([
    element(0xd7, bytes(1)),
    element(0x83, bytes(2)),
    element(0x86, Buffer.from(sound.codec)),
    element(0x63a2, sound.config),
    element(0xe1, Buffer.concat([...rates, element(0x6264, bytes(16))])),
  ]);
  const block = element(0xa3, Buffer.concat([bytes(0x81, 0, 0), sound.block]));
  const cluster = Buffer.concat([element(0xe7, bytes(0)), repeated(packets, block)]);
  const content = [
    element(0x1549a966, element(0x4489, double(claimedSeconds * 1_000))),
    element(0x1654ae6b, element(0xae, track)),
    element(0x1f43b675, cluster, undefined),
  ];
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from('webm'))),
    element(0x18538067, Buffer.concat(content), undefined),
  ]);
}

const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const whole = Buffer.concat(content);
  return Buffer.concat([uint32(whole.length + 8), Buffer.from(type), whole]);
};
const uints = (...values: number[]): Buffer => Buffer.concat(values.map(uint32));

/** A silent frame of AAC. */
const AAC_PACKET = bytes(0x01, 0x18, 0x20, 0x07);

/** Of a track at 16 kHz. @param codec its boxes */
function soundEntry(type: string, ...codec: readonly Buffer[]): Buffer {
  const entry = Buffer.alloc(28);
  entry.writeUInt16BE(1, 16);
  entry.writeUInt16BE(16, 18);
  entry.writeUInt16BE(16_000, 24);
  return box(type, entry, ...codec);
}

function aacEntry(): Buffer {
  const config = bytes(0x14, 0x08);
  const decoder = Buffer.concat([
    bytes(4, 17, 0x40, 0x15),
    Buffer.alloc(11),
    bytes(5, config.length),
    config,
  ]);
  return soundEntry('mp4a', box('esds', uint32(0), bytes(3, decoder.length + 3, 0, 0, 0), decoder));
}

/** Claims blocks of a sample. */
function flacEntry(): Buffer {
  const info = flacFile(0, 0).subarray(4);
  info.writeUInt16BE(1, 4);
  info.writeUInt16BE(1, 6);
  return soundEntry('fLaC', box('dfLa', uint32(0), info));
}

/** The box of a movie with one track. @param more boxes after it */
function movie(
  entry: Buffer,
  claimedSeconds: number,
  tables: readonly Buffer[],
  ...more: readonly Buffer[]
): Buffer {
  const claim = uints(0, 0, 0, 1_000, claimedSeconds * 1_000);
  const media = box(
    'mdia',
    box('mdhd', claim, uint32(0)),
    box('hdlr', uints(0, 0), Buffer.from('soun'), Buffer.alloc(13)),
    box('minf', box('stbl', box('stsd', uints(0, 1), entry), ...tables)),
  );
  const track = box('trak', box('tkhd', uints(0, 0, 0, 1), Buffer.alloc(68)), media);
  return box('moov', box('mvhd', claim, Buffer.alloc(80)), track, ...more);
}

const MP4_TYPE = box('ftyp', Buffer.from('M4A '), uint32(0));
/** Of the first packet, after the heads of two boxes. */
const MP4_CONTENT_AT = MP4_TYPE.length + 8;

interface Mp4Options {
  readonly codec?: 'aac' | 'flac' | 'opus';
  readonly packet?: Buffer;
  /** Positions of chunks with one packet each. Absent: one chunk has all. */
  readonly chunks?: readonly number[];
  /** Number of the codec's entries. */
  readonly entries?: number;
}

/** Packets in MP4, of AAC at 16 kHz with 64 ms each, whose headers and table of times claim another duration. */
export function m4aFile(
  packets: number,
  claimedSeconds: number,
  { codec = 'aac', packet = AAC_PACKET, chunks, entries = 1 }: Mp4Options = {},
): Buffer {
  const tables = [
    box('stts', uints(0, 1, packets, 1)),
    box('stsc', uints(0, 1, 1, chunks ? 1 : packets, 1)),
    box('stsz', uints(0, packet.length, packets)),
    box('stco', uints(0, ...(chunks ? [chunks.length, ...chunks] : [1, MP4_CONTENT_AT]))),
  ];
  const entry = { aac: aacEntry, flac: flacEntry, opus: () => soundEntry('Opus') }[codec]();
  const content = box('mdat', repeated(packets, packet));
  return Buffer.concat([MP4_TYPE, content, movie(repeated(entries, entry), claimedSeconds, tables)]);
}

/** Opus in fragments of MP4 with one packet each. */
export function fragmentedFile(packets: readonly Buffer[]): Buffer {
  const tables = ['stts', 'stsc', 'stco'].map((type) => box(type, uints(0, 0)));
  const extension = box('mvex', box('trex', uints(0, 1, 1, 0, 0, 0)));
  const fragments = packets.map((packet) => {
    const fragment = (position: number) =>
      box(
        'moof',
        box('mfhd', uints(0, 1)),
        // Positions count from the box; the run has one, and sizes.
        box('traf', box('tfhd', uints(0x20000, 1)), box('trun', uints(0x201, 1, position, packet.length))),
      );
    return Buffer.concat([fragment(fragment(0).length + 8), box('mdat', packet)]);
  });
  const head = movie(soundEntry('Opus'), 0, [...tables, box('stsz', uints(0, 0, 0))], extension);
  return Buffer.concat([MP4_TYPE, head, ...fragments]);
}

/** FLAC at 16 kHz: frames of 4,096 samples of silence, after a header that claims a number of samples. */
export function flacFile(frames: number, claimedSamples: number): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(4_096, 0);
  info.writeUInt16BE(4_096, 2);
  // 20 bits of the rate, 3 of the channels, 5 of the size of a sample, 36 of their number.
  info.writeUIntBE((16_000 << 4) | 0, 10, 3);
  info.writeUInt16BE(0xf000, 12);
  info.writeUInt32BE(claimedSamples, 14);
  // A constant of zero for all samples; the last byte of the header is its checksum.
  const head = bytes(0xff, 0xf8, 0xc5, 0x08, 0x00);
  const frame = Buffer.concat([head, bytes(crc8(head), 0, 0, 0, 0, 0)]);
  return Buffer.concat([Buffer.from('fLaC'), bytes(0x80, 0, 0, 34), info, repeated(frames, frame)]);
}

function crc8(header: Buffer): number {
  let crc = 0;
  for (const byte of header) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff;
  }
  return crc;
}

/** WAV with a compressed format, and a `fact` chunk that claims a number of samples. */
export function compressedWavFile(
  format: number,
  bits: number,
  audio: Buffer,
  claimedSamples: number,
): Buffer {
  const head = Buffer.alloc(20);
  head.writeUInt16LE(format, 0);
  head.writeUInt16LE(1, 2);
  head.writeUInt32LE(16_000, 4);
  head.writeUInt32LE(4_000_000_000, 8);
  head.writeUInt16LE(256, 12);
  head.writeUInt16LE(bits, 14);
  const fact = Buffer.alloc(4);
  fact.writeUInt32LE(claimedSamples);
  const chunk = (id: string, content: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(content.length);
    return Buffer.concat([Buffer.from(id), size, content]);
  };
  const chunks = Buffer.concat([chunk('fmt ', head), chunk('fact', fact), chunk('data', audio)]);
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), chunks]));
}
