import { GatewayError } from '@gateway/proto';
import type { ByteBudget } from '../domain/byte-budget';
import { CallerGone, type Exchange } from './exchange';

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body. */
  readonly timeoutMs: number;
  /** Shared by all requests: what is read here is taken from it. */
  readonly budget: ByteBudget;
}

/** A request body in memory. */
export interface HeldBody {
  readonly bytes: Buffer;
  /** Gives its bytes back to the budget; may be called more than once. */
  release(): void;
}

/** Reads the whole body, or rejects with what to answer, holding nothing. */
export function readBody({ request, response }: Exchange, limits: BodyLimits): Promise<HeldBody> {
  return new Promise((resolve, reject) => {
    const { budget, maxBytes } = limits;
    const chunks: Buffer[] = [];
    let heldBytes = 0;
    const release = () => {
      budget.give(heldBytes);
      heldBytes = 0;
    };
    const settle = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      response.off('finish', onClose);
    };
    const fail = (error: Error) => {
      settle();
      release();
      chunks.length = 0;
      // What is left of the body is not worth waiting for.
      response.shouldKeepAlive = false;
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (heldBytes + chunk.length > maxBytes) return fail(tooLarge());
      if (!budget.take(chunk.length)) return fail(new GatewayError('rate_limited', { retryAfterSeconds: 1 }));
      heldBytes += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () => {
      settle();
      resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, heldBytes), release });
    };
    const onClose = () => fail(new CallerGone());
    const timer = setTimeout(() => fail(invalid('the body did not arrive in time')), limits.timeoutMs);

    if (request.destroyed || response.headersSent) return onClose();
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return fail(tooLarge());
    if (request.headers.expect !== undefined) response.writeContinue();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // The parser gave the connection up, and the request has been answered for that.
    response.on('finish', onClose);
  });
}

function tooLarge(): GatewayError {
  return invalid('the body is too large');
}

function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
