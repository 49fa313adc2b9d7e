import { GatewayError } from '@gateway/proto';
import type { ByteBudget } from '../domain/byte-budget';
import type { ByteShares } from '../domain/byte-shares';
import { CallerGone, type Exchange } from './exchange';
import { GatheredChunks } from './gathered-chunks';
import { type ProgressLimits, watchProgress } from './watch-progress';

export interface BodyLimits extends ProgressLimits {
  readonly maxBytes: number;
  /** Shared by all requests: what is read here is taken from it. */
  readonly budget: ByteBudget;
  /** What one sender's bodies may take of it, until they are released. */
  readonly held: ByteShares;
  /** What of that may be unfinished: whole ones go on to be judged and paid for, which a body that never ends is not. */
  readonly unfinished: ByteShares;
}

const NO_BYTES = Buffer.alloc(0);

/** A request body in memory. */
export interface HeldBody {
  /** None once it is released. */
  readonly bytes: Buffer;
  /** Gives its bytes back to the budget; may be called more than once. */
  release(): void;
}

/** Reads the whole body, or rejects with what to answer, holding nothing. */
export function readBody(
  { request, response }: Exchange,
  limits: BodyLimits,
  sender: string,
): Promise<HeldBody> {
  return new Promise((resolve, reject) => {
    const { budget, maxBytes, held, unfinished } = limits;
    const chunks = new GatheredChunks();
    let takenBytes = 0;
    let heldBytes = 0;
    let unfinishedBytes = 0;
    const release = () => {
      budget.give(takenBytes);
      held.give(sender, heldBytes);
      takenBytes = 0;
      heldBytes = 0;
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
      if (!budget.take(chunk.length)) return fail(tooManyAtOnce());
      takenBytes += chunk.length;
      if (!held.take(sender, chunk.length, budget.leftBytes)) return fail(tooManyAtOnce());
      heldBytes += chunk.length;
      if (!unfinished.take(sender, chunk.length, budget.leftBytes)) return fail(tooManyAtOnce());
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
