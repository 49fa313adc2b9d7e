/** Characters that are read aloud in a second. */
const CHARACTERS_PER_SECOND = 16;
/** Of 16-bit samples at 24 kHz. */
const PCM_BYTES_PER_SECOND = 48_000;
/** MPEG-1 Layer III, 128 kbit/s, 44.1 kHz, mono. Zeros after the header are silence. */
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)]);
const MP3_FRAMES_PER_SECOND = 44_100 / 1_152;

export const secondsOfSpeech = (text: string): number => Array.from(text).length / CHARACTERS_PER_SECOND;

/** Returns silence of that length: WAV or PCM if the format is one of them, else MP3. */
export function silence(format: string, seconds: number): Buffer {
  const pcmBytes = 2 * Math.ceil((seconds * PCM_BYTES_PER_SECOND) / 2);
  if (format === 'pcm') return Buffer.alloc(pcmBytes);
  if (format === 'wav') return Buffer.concat([wavHeader(pcmBytes), Buffer.alloc(pcmBytes)]);
  const frames = Math.max(1, Math.ceil(seconds * MP3_FRAMES_PER_SECOND));
  return Buffer.concat(Array.from({ length: frames }, () => MP3_FRAME));
}

function wavHeader(bytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(PCM_BYTES_PER_SECOND / 2, 24);
  header.writeUInt32LE(PCM_BYTES_PER_SECOND, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  return header;
}
