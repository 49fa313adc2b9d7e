import type { RequestHandler } from 'express';
import { WEB_AREAS } from '../api/web-areas';
import type { WebFile } from './web-files';

/** In order of preference, whatever the order in the request. */
const CODINGS = ['br', 'gzip'] as const;

/** Their names change with their content. */
const HASHED = '/assets/';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Mantine writes its theme and responsive styles into style elements.
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  // Generated images and videos are data URLs, or are loaded from their provider's storage.
  "img-src 'self' data: blob: https:",
  "media-src 'self' data: blob: https:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Serves the web UI: its files, and its single page at every path of the UI. Passes other requests on. */
export function webUi(files: ReadonlyMap<string, WebFile>): RequestHandler {
  const page = files.get('/index.html');
  return (request, response, next) => {
    const { path } = request;
    const isPage = path === '/' || isArea(path.split('/', 2)[1]);
    const file = isPage ? page : files.get(path);
    if (request.method !== 'GET' || !file) {
      next();
      return;
    }
    response.locals.route = 'web_ui';
    const coding = CODINGS.find((name) => request.acceptsEncodings(name) !== false);
    const packed = coding && file[coding];
    const body = packed ?? file.plain;
    response.set({
      ...HEADERS,
      'cache-control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-type': file.type,
      'content-length': String(body.length),
      vary: 'accept-encoding',
      ...(packed && { 'content-encoding': coding }),
    });
    response.status(200).end(body);
  };
}

const isArea = (segment: string | undefined): boolean => WEB_AREAS.some((area) => area === segment);
