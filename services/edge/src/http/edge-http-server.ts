import http, { type RequestListener, type Server } from 'node:http';
import type { EdgeListener } from './edge-listener';
import { MAX_HEADERS } from './request-headers';

export interface HttpServerLimits {
  readonly headerTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly maxConnections: number;
}

const MAX_HEADER_BYTES = 16 * 1024;
const TIMEOUT_CHECK_MS = 1_000;

/** Creates a server with a listener for every case in which Node would respond by itself. */
export function createEdgeHttpServer(
  listener: EdgeListener,
  onRequest: RequestListener,
  limits: HttpServerLimits,
): Server {
  const server = http.createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headerTimeoutMs,
    // Bodies have their own timer, which can respond; this one is for unread bodies.
    requestTimeout: limits.headerTimeoutMs + limits.bodyTimeoutMs + 5_000,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, limits.headerTimeoutMs),
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false,
    noDelay: true,
  });
  // One more than allowed, so that a request with too many is detected.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.maxConnections = limits.maxConnections;
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  server.on('connection', listener.onConnection);
  server.on('clientError', listener.onClientError);
  server.on('connect', listener.onConnect);
  return server;
}
