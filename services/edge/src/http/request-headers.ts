import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { CallHeader } from '@gateway/proto/generated/gateway/edge/v1/CallHeader';
import type { PresentedCredentials } from '../domain/api-key';

/** Node silently drops headers beyond its limit, which could hide an important one. */
export const MAX_HEADERS = 100;

/** Headers that are forwarded to the answering service. Never credentials or cookies. */
const FORWARDED = [
  'content-type',
  'accept',
  'user-agent',
  'idempotency-key',
  'anthropic-version',
  'anthropic-beta',
  'x-session-id',
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-gemini-api-privileged-user-id',
  'x-gateway-fallback',
] as const;

/** @param withOrigin adds the origin of this listener, for services that return links to it; `Host` is not used, because clients choose it */
export function forwardedHeaders(request: IncomingMessage, withOrigin = false): CallHeader[] {
  const headers: CallHeader[] = [];
  if (withOrigin) headers.push({ name: 'x-edge-origin', value: listenerOf(request) });
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.push({ name, value });
  }
  return headers;
}

function listenerOf({ socket }: IncomingMessage): string {
  const { localAddress = '', localPort } = socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Reads the raw header list, because Node keeps only the first of several `Authorization` headers. */
export function presentedCredentials(request: IncomingMessage): PresentedCredentials {
  const authorization: string[] = [];
  const xApiKey: string[] = [];
  const raw = request.rawHeaders;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorization.push(raw[at + 1] ?? '');
    else if (name.length === 9 && name.toLowerCase() === 'x-api-key') xApiKey.push(raw[at + 1] ?? '');
  }
  return { authorization, xApiKey };
}

/** Returns the keys that a client of Google's API sends: in a header, or in the query string. */
export function googleKeys({ headersDistinct }: IncomingMessage, query: string): readonly string[] {
  return [...(headersDistinct['x-goog-api-key'] ?? []), ...new URLSearchParams(query).getAll('key')];
}

/** @throws GatewayError `invalid_request` for headers that Node's parser accepts although HTTP forbids them */
export function assertSaneHead(request: IncomingMessage): void {
  const { rawHeaders, headers } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) throw invalid('too many headers');
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0'))
    throw invalid('one Host header is required');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw invalid('unknown transfer coding');
}

const FOREIGN_CHARSET = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

export function assertJsonBody(request: IncomingMessage): void {
  if (mediaTypeOf(request) !== 'application/json') throw invalid('Content-Type must be application/json');
  if (FOREIGN_CHARSET.test(request.headers['content-type'] ?? '')) throw invalid('the charset must be utf-8');
}

export function isForm(request: IncomingMessage): boolean {
  return mediaTypeOf(request) === 'multipart/form-data';
}

function mediaTypeOf(request: IncomingMessage): string {
  return ((request.headers['content-type'] ?? '').split(';', 1)[0] ?? '').trim().toLowerCase();
}

function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
