import type { Exchange } from './exchange';

/** Headers that scripts of allowed pages may read. */
const EXPOSED = [
  'X-Request-Id',
  'request-id',
  'Retry-After',
  'X-Should-Retry',
  'X-Gateway-Cost',
  'X-Gateway-Dropped-Tools',
  'X-Gateway-Fallback-Model',
  'X-Gateway-Max-Tokens',
  ...['limit', 'remaining', 'reset'].flatMap((figure) => [
    `x-ratelimit-${figure}-requests`,
    `x-ratelimit-${figure}-tokens`,
  ]),
].join(', ');
/** Browsers keep the answer to a preflight no longer. */
const MAX_AGE_SECONDS = '7200';
/** Names of headers, separated by commas. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Permits scripts of the allowed origins to read the response (the CORS protocol of the Fetch standard), and answers a preflight.
 * Other origins get the same responses without the permission. Cookies are never permitted: keys are in headers.
 * @param origins allowed ones; `*` allows every origin
 * @returns true if the request was a preflight, which has been answered
 */
export function answerCors({ request, response }: Exchange, origins: ReadonlySet<string>): boolean {
  if (origins.size === 0) return false;
  const isAny = origins.has('*');
  if (!isAny) response.setHeader('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !(isAny || origins.has(origin))) return false;
  response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) {
    response.setHeader('access-control-expose-headers', EXPOSED);
    return false;
  }
  const asked = request.headers['access-control-request-headers'] ?? '';
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST',
    // The SDKs send headers of their own, which edge ignores.
    ...(HEADER_NAMES.test(asked) && { 'access-control-allow-headers': asked }),
    'access-control-max-age': MAX_AGE_SECONDS,
  });
  response.end();
  return true;
}
