import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../../http/call';
import { queryOf } from '../../http/url';
import { noKey, wrongKey } from './error';

/** @throws ProviderError without a key, or with one that begins with `invalid` */
export function authorize({ req }: Call): void {
  const key = req.headers['x-goog-api-key'] || queryOf(req.url).get('key');
  if (!key) throw noKey();
  if (String(key).startsWith('invalid')) throw wrongKey();
}

/** Google's replies have no id header, and the body contains the time to wait. */
export function geminiHeaders(): OutgoingHttpHeaders {
  return { server: 'scaffolding on HTTPServer2' };
}
