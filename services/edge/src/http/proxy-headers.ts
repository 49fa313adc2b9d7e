import type { IncomingHttpHeaders } from 'node:http';
import { SERVICE_TOKEN_HEADER } from '@gateway/rpc';

/** Headers that concern one connection only. `transfer-encoding` is Node's to handle on either side. */
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
/** What a caller may not tell the dashboard about itself: the edge does. */
const OURS = ['forwarded', 'x-real-ip', 'x-request-id', 'request-id', 'expect', SERVICE_TOKEN_HEADER];

/** Every answer has its body, so there is nothing to make it depend on. */
const CONDITIONS = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
];

const NEEDED = new Set(['authorization', 'content-length', 'content-type', 'host', 'transfer-encoding']);

export function stripHopByHop(headers: IncomingHttpHeaders): void {
  for (const name of String(headers.connection ?? '').split(',')) {
    const named = name.trim().toLowerCase();
    // A header by which a message is framed or judged can't be disowned that way.
    if (!NEEDED.has(named)) delete headers[named];
  }
  for (const name of HOP_BY_HOP) delete headers[name];
}

/** Makes a caller's headers fit for the dashboard. */
export function cleanRequestHeaders(headers: IncomingHttpHeaders): void {
  stripHopByHop(headers);
  for (const name of [...OURS, ...CONDITIONS]) delete headers[name];
  for (const name of Object.keys(headers)) if (name.startsWith('x-forwarded-')) delete headers[name];
}

/** Makes the dashboard's headers fit for the caller. */
export function cleanReplyHeaders(headers: IncomingHttpHeaders): void {
  stripHopByHop(headers);
  for (const name of ['x-powered-by', 'server', 'x-request-id', 'request-id']) delete headers[name];
}
