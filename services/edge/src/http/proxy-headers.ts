import type { IncomingHttpHeaders } from 'node:http';
import { SERVICE_TOKEN_HEADER } from '@gateway/rpc';

/** Hop-by-hop headers. Node handles `transfer-encoding` on both sides. */
const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
];
/** Headers that only edge may set for the dashboard. */
const EDGE_ONLY = ['forwarded', 'x-real-ip', 'x-request-id', 'request-id', 'expect', SERVICE_TOKEN_HEADER];

/** Every response has a body, so conditional requests are not supported. */
const CONDITIONS = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
];

const NEVER_HOP_BY_HOP = new Set([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
]);

export function stripHopByHop(headers: IncomingHttpHeaders): void {
  for (const name of String(headers.connection ?? '').split(',')) {
    const named = name.trim().toLowerCase();
    // Headers that frame or authenticate a message can't be declared hop-by-hop.
    if (!NEVER_HOP_BY_HOP.has(named)) delete headers[named];
  }
  for (const name of HOP_BY_HOP) delete headers[name];
}

/** Sanitizes a client's headers for the dashboard. */
export function cleanRequestHeaders(headers: IncomingHttpHeaders): void {
  stripHopByHop(headers);
  for (const name of [...EDGE_ONLY, ...CONDITIONS]) delete headers[name];
  for (const name of Object.keys(headers)) if (name.startsWith('x-forwarded-')) delete headers[name];
}

/** Sanitizes the dashboard's headers for the client. */
export function cleanReplyHeaders(headers: IncomingHttpHeaders): void {
  stripHopByHop(headers);
  for (const name of ['x-powered-by', 'server', 'x-request-id', 'request-id']) delete headers[name];
}
