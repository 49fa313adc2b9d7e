import { GatewayError } from '@gateway/errors';
import type { BodyRoom, ByteShares } from '@gateway/quota';
import { CallerGone, type Exchange } from './exchange';
import { GatheredChunks } from './gathered-chunks';
import { type ProgressLimits, watchProgress } from './watch-progress';

export interface BodyLimits extends ProgressLimits {
  readonly maxBytes: number;
  /** Shared by all requests: what is read here is taken from it, until it is released. */
  readonly room: BodyRoom;
  /** What of that each may have unfinished: whole bodies go on to be judged and paid for, one that never ends is not. */
  readonly unfinished: ByteShares;
}

const NO_BYTES = Buffer.alloc(0);

/** A request body in memory. */
export interface BufferedBody {
  /** None once it is released. */
  readonly bytes: Buffer;
  /** Gives its room back; may be called more than once. */
  release(): void;
}

/** Reads the whole body, or rejects with what to answer, holding nothing. */
export function readBody(
  { request, response }: Exchange,
  limits: BodyLimits,
  sender: string,
): Promise<BufferedBody> {
  return new Promise((resolve, reject) => {
    const { room, maxBytes, unfinished } = limits;
    const chunks = new GatheredChunks();
    let takenBytes = 0;
    let unfinishedBytes = 0;
    const release = () => {
      room.give(sender, takenBytes);
      takenBytes = 0;
    };
    const settle = () => {
      stopWatching();
      unfinished.give(sender, unfinishedBytes);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      response.off('finish', onClose);
    };
    const fail = (error: Error) => {
      settle();
      release();
      chunks.drop();
      // What is left of the body is not worth waiting for.
      response.shouldKeepAlive = false;
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (takenBytes + chunk.length > maxBytes) return fail(tooLarge());
      if (!room.take(sender, chunk.length)) return fail(tooManyAtOnce());
      takenBytes += chunk.length;
      if (!unfinished.take(sender, chunk.length, room.leftBytes)) return fail(tooManyAtOnce());
      unfinishedBytes += chunk.length;
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
    const onClose = () => fail(new CallerGone());
    const stopWatching = watchProgress(limits, () => takenBytes, fail);

    if (request.destroyed || response.headersSent) return onClose();
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return fail(tooLarge());
    if (request.headers.expect !== undefined) response.writeContinue();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // The parser gave the connection up, and the request has been answered for that.
    response.on('finish', onClose);
  });
}

export function tooManyAtOnce(): GatewayError {
  return new GatewayError('rate_limited', { retryAfterSeconds: 1 });
}

export function tooLarge(): GatewayError {
  return new GatewayError('invalid_request', { detail: 'the body is too large' });
}
