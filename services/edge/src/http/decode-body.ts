import { type FairSemaphore, type Quota, quotaExhausted, SemaphoreExhausted } from '@gateway/quota';
import { type BufferedBody, bufferedBody, tooLarge } from './buffered-body';
import { type ContentCoding, createDecoder, malformedCoding, refusalOfRatio } from './content-coding';
import { GatheredChunks } from './gathered-chunks';

export interface DecodeLimits {
  /** Of the decompressed body. */
  readonly maxBytes: number;
  /** Memory for the decompressed body, which is accounted for until it is released. */
  readonly memory: Quota;
  /** Limits the CPU time: bodies that are decompressed at a time, of all senders and of one. */
  readonly decoding: FairSemaphore;
}

/**
 * Decompresses a body that has arrived, and releases it. The client's speed has no part in it, so that a slow one occupies no decoder.
 * @throws GatewayError `invalid_request` for invalid bytes and a body that is too large; `rate_limited` without memory or a free decoder
 */
export async function decodeBody(
  encoded: BufferedBody,
  coding: ContentCoding,
  limits: DecodeLimits,
  sender: string,
): Promise<BufferedBody> {
  try {
    return await limits.decoding.run(sender, () => decodeNow(encoded.bytes, coding, limits, sender));
  } catch (error) {
    throw error instanceof SemaphoreExhausted ? quotaExhausted() : error;
  } finally {
    encoded.release();
  }
}

async function decodeNow(
  encoded: Buffer,
  coding: ContentCoding,
  { maxBytes, memory }: DecodeLimits,
  sender: string,
): Promise<BufferedBody> {
  const chunks = new GatheredChunks();
  let bytes = 0;
  const add = (chunk: Buffer) => {
    if (bytes + chunk.length > maxBytes) throw tooLarge();
    const refusal = refusalOfRatio(bytes + chunk.length, encoded.length);
    if (refusal) throw refusal;
    if (memory.acquire(sender, chunk.length)) throw quotaExhausted();
    bytes += chunk.length;
    chunks.add(chunk);
  };
  const release = () => memory.release(sender, bytes);
  try {
    await decode(encoded, coding, add);
    return bufferedBody(chunks.whole(), release);
  } catch (error) {
    release();
    throw error;
  } finally {
    chunks.drop();
  }
}

/** Calls `onChunk` with the pieces as they are decompressed; what it throws ends the work. */
async function decode(
  encoded: Buffer,
  coding: ContentCoding,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const decoder = createDecoder(coding, encoded[0]);
  const chunks = decoder[Symbol.asyncIterator]();
  decoder.end(encoded);
  try {
    for (;;) {
      const { value, done } = await chunks.next().catch(() => {
        throw malformedCoding(coding);
      });
      if (done) break;
      onChunk(value);
    }
    // Another parser might read what follows as a second body.
    if (decoder.bytesWritten < encoded.length) throw malformedCoding(coding);
  } finally {
    decoder.destroy();
  }
}
