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

/** The API's document, and the same as a page. What is neither goes on. */
export function serveApiDocument(document: ApiDocument): RequestHandler {
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/openapi.json': ['application/json', JSON.stringify(document)],
    '/docs': ['text/html; charset=utf-8', apiPage(document)],
    '/docs.css': ['text/css; charset=utf-8', API_PAGE_STYLE],
  };
  return ({ method, path }, response, next) => {
    const file = method === 'GET' && Object.hasOwn(files, path) && files[path];
    if (!file) {
      next();
      return;
    }
    const [type, text] = file;
    response.locals.route = path;
    response.set({
      'content-type': type,
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    response.status(200).end(text);
  };
}
