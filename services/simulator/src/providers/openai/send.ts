import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../../http/call';
import { sendJson } from '../../http/send';
import type { ProviderDeps } from '../provider';
import type { OpenAiError } from './error';

export function openAiHeaders(id: string): OutgoingHttpHeaders {
  return { 'x-request-id': `req_${id}`, 'openai-version': '2020-10-01' };
}

export function sendError(call: Call, deps: ProviderDeps, error: OpenAiError): void {
  sendJson(call.res, error.status, error.toBody(), openAiHeaders(deps.newId()));
}
