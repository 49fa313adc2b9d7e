import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';
import { LINK_REQUEST_WINDOW_BYTES } from '@gateway/link';
import { type Quota, quotaExhausted } from '@gateway/quota';
import { ClientDisconnected } from '@gateway/rpc';
import type { Exchange } from './exchange';
import { GatheredChunks } from './gathered-chunks';
import { type ProgressLimits, watchProgress } from './watch-progress';

export interface BodyLimits extends ProgressLimits {
  readonly maxBytes: number;
  /** Memory for the bodies of all requests; each is accounted for until it is released. */
  readonly memory: Quota;
}

const NO_BYTES = Buffer.alloc(0);

/** A request body in memory. */
export interface BufferedBody {
  /** Empty once it is released. */
  readonly bytes: Buffer;
  /** Releases its memory; may be called more than once. */
  release(): void;
}

/** Reads the whole body, or rejects with the error to answer and nothing reserved. */
export function readBody(
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
      const body = {
        bytes: chunks.whole(),
        release: () => {
          release();
          body.bytes = NO_BYTES;
        },
      };
      chunks.drop();
      resolve(body);
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

/** Memory of one upload: its bytes in the buffers of edge and of the link. */
const UPLOAD_BUFFER_BYTES = 4 * LINK_REQUEST_WINDOW_BYTES;

/**
 * Reserves memory for a streamed upload and returns the function that releases it; it may be called more than once.
 * @throws GatewayError when the body is declared too large, or too many bodies are in flight
 */
export function leaseUploadMemory(
  request: IncomingMessage,
  { memory, maxBytes }: BodyLimits,
  sender: string,
): () => void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  return memory.lease(sender, UPLOAD_BUFFER_BYTES);
}

export function tooLarge(): GatewayError {
  return new GatewayError('invalid_request', { detail: 'the body is too large' });
}
