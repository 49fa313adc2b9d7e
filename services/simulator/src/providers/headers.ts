import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Any key is accepted, but there must be one. */
export function hasBearer(headers: IncomingHttpHeaders): boolean {
  return /^Bearer \S/.test(headers.authorization ?? '');
}

export function retryAfterHeader(_id: string, seconds?: number): OutgoingHttpHeaders {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
