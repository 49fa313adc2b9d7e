import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError, toEnvelope } from '@gateway/errors';

const LINGER_MS = 500;

/** Details for errors of Node's parser and timers that a client can act on. */
const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive in time',
};

/** Writes an error response for bytes that never became a request, and closes the connection. */
export function writeRawError(socket: Duplex, requestId: string, error: GatewayError): void {
  const body = JSON.stringify(toEnvelope(error));
  const { status } = error.row;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\n` +
      `X-Content-Type-Options: nosniff\r\nX-Request-Id: ${requestId}\r\nrequest-id: ${requestId}\r\n` +
      `Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${body}`,
  );
  destroyAfterLinger(socket);
}

/** Keeps reading for a moment, so that a reset does not overtake the last response. */
export function destroyAfterLinger(socket: Duplex): void {
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** A request line with any method, because Node rejects methods it doesn't know. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/;
const MAX_REQUEST_LINE = 16_384;

export function fromParserError(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): GatewayError {
  const isRequest = () => REQUEST_LINE.test(error.rawPacket?.toString('latin1', 0, MAX_REQUEST_LINE) ?? '');
  if (error.code === 'HPE_INVALID_METHOD' && isRequest()) return new GatewayError('not_found');
  return new GatewayError('invalid_request', {
    detail: DETAILS[error.code ?? ''] ?? 'not a valid HTTP request',
  });
}
