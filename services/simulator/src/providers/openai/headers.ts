import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../../http/call';
import { hasBearer } from '../bearer';
import { noApiKey } from './error';

export function openAiHeaders(id: string, retryAfterSeconds?: number): OutgoingHttpHeaders {
  return {
    'x-request-id': `req_${id}`,
    'openai-version': '2020-10-01',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
}

/** @throws OpenAiError */
export function authorize(call: Call): void {
  if (!hasBearer(call.req.headers)) throw noApiKey();
}
