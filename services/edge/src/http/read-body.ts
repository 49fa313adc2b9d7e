import type { IncomingMessage } from 'node:http';
import { LINK_REQUEST_WINDOW_BYTES } from '@gateway/link';
import { quotaExhausted } from '@gateway/quota';
import { ClientDisconnected } from '@gateway/rpc';
import { type BufferedBody, bufferedBody, tooLarge } from './buffered-body';
import { type ContentCoding, codingOf, windowBytesOf } from './content-coding';
import { type DecodeLimits, decodeBody } from './decode-body';
import type { Exchange } from './exchange';
import { GatheredChunks } from './gathered-chunks';
import { type ProgressLimits, watchProgress } from './watch-progress';

/** Of bodies as they are received, and of what they are decompressed to. */
export interface BodyLimits extends ProgressLimits, DecodeLimits {}

/** Reads the whole body and decompresses it, or rejects with the error to answer and nothing reserved. */
export async function readBody(
  exchange: Exchange,
  limits: BodyLimits,
  sender: string,
): Promise<BufferedBody> {
  const coding = codingOf(exchange.request);
  const received = await receiveBody(exchange, limits, sender);
  if (!coding || received.bytes.length === 0) return received;
  // The dashboard receives it too.
  delete exchange.request.headers['content-encoding'];
  return decodeBody(received, coding, limits, sender);
}

function receiveBody(
  { request, response }: Exchange,
  limits: BodyLimits,
  sender: string,
): Promise<BufferedBody> {
  return new Promise((resolve, reject) => {
    const { memory, maxBytes } = limits;
    const chunks = new GatheredChunks();
    let takenBytes = 0;
    const release = () => {
      memory.release(sender, takenBytes);
      takenBytes = 0;
    };
    const settle = () => {
      stopWatching();
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      response.off('finish', onClose);
    };
    const fail = (error: Error) => {
      settle();
      release();
      chunks.drop();
      // The rest of the body is not waited for.
      response.shouldKeepAlive = false;
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (takenBytes + chunk.length > maxBytes) return fail(tooLarge());
      if (memory.acquire(sender, chunk.length)) return fail(quotaExhausted());
      takenBytes += chunk.length;
      chunks.add(chunk);
    };
    const onEnd = () => {
      settle();
      resolve(bufferedBody(chunks.whole(), release));
      chunks.drop();
    };
    const onClose = () => fail(new ClientDisconnected());
    const stopWatching = watchProgress(limits, () => takenBytes, fail);

    if (request.destroyed || response.headersSent) return onClose();
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return fail(tooLarge());
    if (request.headers.expect !== undefined) response.writeContinue();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // The parser rejected the connection, and the request has been answered.
    response.on('finish', onClose);
  });
}

/** Memory of one upload: its bytes in the buffers of edge and of the link, without a decoder. */
const UPLOAD_BUFFER_BYTES = 4 * LINK_REQUEST_WINDOW_BYTES;

/**
 * Reserves memory for a streamed upload and returns the function that releases it; it may be called more than once.
 * @throws GatewayError when the body is declared too large, or too many bodies are in flight
 */
export function leaseUploadMemory(
  request: IncomingMessage,
  { memory, maxBytes }: BodyLimits,
  coding: ContentCoding | undefined,
  sender: string,
): () => void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  return memory.lease(sender, UPLOAD_BUFFER_BYTES + (coding ? windowBytesOf(coding) : 0));
}
