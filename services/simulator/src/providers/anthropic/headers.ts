import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { hasBearer, retryAfterHeader } from '../headers';
import { anthropicError, invalid, requestId } from './error';

/** What the headers determine about the body. */
export interface ApiHeaders {
  readonly version: Version;
  /** Fields of beta features are accepted. */
  readonly beta: boolean;
}

export type Version = '2023-06-01' | '2026-10-21';

/** @throws ProviderError without a key (any is accepted) or a known version */
export function readApiHeaders(headers: IncomingHttpHeaders): ApiHeaders {
  if (!headers['x-api-key'] && !hasBearer(headers)) {
    throw anthropicError(401, 'x-api-key header is required');
  }
  const version = headers['anthropic-version'];
  if (version === undefined) throw invalid('anthropic-version: header is required');
  if (version !== '2023-06-01' && version !== '2026-10-21') {
    throw invalid(`anthropic-version: "${version}" is not a valid version`);
  }
  return { version, beta: headers['anthropic-beta'] !== undefined };
}

export function anthropicHeaders(id: string, retryAfterSeconds?: number): OutgoingHttpHeaders {
  return {
    'request-id': requestId(id),
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
    ...retryAfterHeader(id, retryAfterSeconds),
  };
}
