import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';

/** Reads a whole body. @throws GatewayError `invalid_request` if it is longer */
export async function gatherBody({ body, bodyStream }: LinkCall, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bodyStream ?? [body]) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw new GatewayError('invalid_request', { detail: `the body is longer than ${maxBytes} bytes` });
    }
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
