import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorHeaders, type GatewayError, toEnvelope } from '@gateway/errors';
import type { Exchange } from './exchange';

/** A refused request's unread body up to this size is read away, so that the connection lives on. */
const MAX_DISCARD_BYTES = 1024 * 1024;

/** Answers with the error's envelope; if an answer has begun already, all that is left is to cut it. */
export function writeError(exchange: Exchange, error: GatewayError): void {
  const { request, response } = exchange;
  exchange.errorCode = error.code;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(JSON.stringify(toEnvelope(error)));
  const headers: Record<string, string | number> = {
    ...errorHeaders(error),
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  };
  if (bodyIsSoonRead(request, response)) {
    response.writeHead(error.row.status, headers).end(body);
  } else {
    response.writeHead(error.row.status, { ...headers, connection: 'close' }).write(body);
    endAfterLinger(exchange);
  }
}

function bodyIsSoonRead(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.complete) return true;
  if (!response.shouldKeepAlive || request.headers.expect !== undefined) return false;
  // Neither length nor coding: no body, its end is just not parsed yet.
  if (request.headers['transfer-encoding'] !== undefined) return false;
  return Number(request.headers['content-length'] ?? 0) <= MAX_DISCARD_BYTES;
}

/**
 * Closing while bytes arrive makes the system send a reset, which can overtake the answer. So the whole
 * answer goes out, the rest of the request is read away for a moment, and only then the connection ends.
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
