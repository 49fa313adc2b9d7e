import { GatewayError } from '@gateway/errors';
import { once } from '@gateway/quota';

const NO_BYTES = Buffer.alloc(0);

/** A request body in memory. */
export interface BufferedBody {
  /** Empty once it is released. */
  readonly bytes: Buffer;
  /** Releases its memory; may be called more than once. */
  release(): void;
}

export const NO_BODY: BufferedBody = { bytes: NO_BYTES, release: () => undefined };

/** @param releaseMemory called once */
export function bufferedBody(bytes: Buffer, releaseMemory: () => void): BufferedBody {
  const body = {
    bytes,
    release: once(() => {
      releaseMemory();
      body.bytes = NO_BYTES;
    }),
  };
  return body;
}

export function tooLarge(): GatewayError {
  return new GatewayError('invalid_request', { detail: 'the body is too large' });
}
