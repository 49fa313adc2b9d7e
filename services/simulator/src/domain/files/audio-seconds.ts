/** MPEG-1 Layer III at 128 kbit/s, as the simulator's own files are. */
const MP3_BYTES_PER_SECOND = 16_000;
const WAV_HEADER_BYTES = 44;

/** Returns the duration of a WAV file by its header, and of any other file as if it were MP3 of 128 kbit/s. */
export function audioSeconds(audio: Buffer): number {
  const isWav = audio.toString('latin1', 0, 4) === 'RIFF' && audio.length >= WAV_HEADER_BYTES;
  const bytesPerSecond = isWav ? audio.readUInt32LE(28) : 0;
  return bytesPerSecond > 0
    ? (audio.length - WAV_HEADER_BYTES) / bytesPerSecond
    : audio.length / MP3_BYTES_PER_SECOND;
}
