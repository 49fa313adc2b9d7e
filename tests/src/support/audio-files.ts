const RATE = 16_000;
/** MPEG-1 Layer III, 128 kbit/s, 44.1 kHz, mono: 417 bytes that last 26 ms. */
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)]);

/** Returns a WAV file of silence, 16 kHz and 16 bits, in base64. */
export function silentWav(seconds: number): string {
  const samples = Buffer.alloc(2 * Math.round(seconds * RATE));
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(2 * RATE, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]).toString('base64');
}

/** Returns an MP3 file of silence in base64. */
export const silentMp3 = (frames: number): string =>
  Buffer.concat(Array.from({ length: frames }, () => MP3_FRAME)).toString('base64');
