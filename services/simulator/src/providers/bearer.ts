import type { IncomingHttpHeaders } from 'node:http';

/** Any key will do, but there must be one. */
export function hasBearer(headers: IncomingHttpHeaders): boolean {
  return /^Bearer \S/.test(headers.authorization ?? '');
}
