import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorHeaders, type GatewayError, toEnvelope } from '@gateway/errors';
import type { Exchange } from './exchange';

/** An unread body of a refused request is discarded up to this size, so that the connection can be reused. */
const MAX_DISCARD_BYTES = 1024 * 1024;

/**
 * Responds with the error's envelope; a response that has already started is cut instead.
 * @param protocol status and headers that HTTP itself requires in place of the error's own
 */
export function writeError(
  exchange: Exchange,
  error: GatewayError,
  protocol: { readonly status: number; readonly headers: Readonly<Record<string, string>> } = {
    status: error.row.status,
    headers: {},
  },
): void {
  const { request, response } = exchange;
  exchange.errorCode = error.code;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(JSON.stringify(toEnvelope(error.withDetailedMessage(exchange.detailedMessages))));
  const headers: Record<string, string | number> = {
    ...errorHeaders(error),
    ...protocol.headers,
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  };
  if (isBodySmall(request, response)) {
    response.writeHead(protocol.status, headers).end(body);
  } else {
    const connection = protocol.headers.connection ?? 'close';
    response.writeHead(protocol.status, { ...headers, connection }).write(body);
    endAfterLinger(exchange);
  }
}

function isBodySmall(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.complete) return true;
  if (!response.shouldKeepAlive || request.headers.expect !== undefined) return false;
  // Without a length and a transfer coding there is no body; its end has not been parsed yet.
  if (request.headers['transfer-encoding'] !== undefined) return false;
  return Number(request.headers['content-length'] ?? 0) <= MAX_DISCARD_BYTES;
}

/**
 * Ends the response after reading more of the request for a moment: closing a connection with unread bytes makes the kernel send a
 * reset, which can overtake the response.
 */
export function endAfterLinger({ request, response, lingerMs }: Exchange): void {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('end', end).once('close', end).once('error', end);
  request.resume();
}
