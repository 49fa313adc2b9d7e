import type { RequestHandler } from 'express';
import type { ApiDocument } from '../openapi/api-document';
import { apiPage } from '../openapi/api-page';
import { API_PAGE_STYLE } from '../openapi/api-page-style';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

interface ServedFile {
  readonly type: string;
  text(makeDocument: () => ApiDocument): string;
}

const FILES: Readonly<Record<string, ServedFile>> = {
  '/openapi.json': { type: 'application/json', text: (makeDocument) => JSON.stringify(makeDocument()) },
  '/docs': { type: 'text/html; charset=utf-8', text: (makeDocument) => apiPage(makeDocument()) },
  '/docs.css': { type: 'text/css; charset=utf-8', text: () => API_PAGE_STYLE },
};

/** Serves the API document, as JSON and as a page, each created on first use. Passes other requests on. */
export function serveApiDocument(makeDocument: () => ApiDocument): RequestHandler {
  const texts: Record<string, string> = {};
  return ({ method, path }, response, next) => {
    const file = method === 'GET' && Object.hasOwn(FILES, path) && FILES[path];
    if (!file) {
      next();
      return;
    }
    response.locals.route = path;
    texts[path] ??= file.text(makeDocument);
    response.set({
      'content-type': file.type,
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    response.status(200).end(texts[path]);
  };
}
