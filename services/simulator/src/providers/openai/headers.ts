import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../../http/call';
import { hasBearer, retryAfterHeader } from '../headers';
import { noApiKey } from './error';

export function openAiHeaders(id: string, retryAfterSeconds?: number): OutgoingHttpHeaders {
  return {
    'x-request-id': `req_${id}`,
    'openai-version': '2020-10-01',
    ...retryAfterHeader(id, retryAfterSeconds),
  };
}

/** @throws ProviderError */
export function authorize(call: Call): void {
  if (!hasBearer(call.req.headers)) throw noApiKey();
}
