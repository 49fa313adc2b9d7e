const BYTES_PER_SECOND = 16_000;

/**
 * Returns a silent mono WAV file of 16-bit samples at 8 kHz.
 * @param claimed bytes of samples according to its header
 */
export function wav(seconds: number, claimed = seconds * BYTES_PER_SECOND): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + claimed, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(BYTES_PER_SECOND, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(claimed, 40);
  return Buffer.concat([header, Buffer.alloc(seconds * BYTES_PER_SECOND)]);
}
