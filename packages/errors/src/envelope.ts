import { usdFromNano } from '@gateway/money';
import type { GatewayError } from './gateway-error';
import { rateHeaders } from './rate-figures';

/** The public error envelope; it has one top-level key. */
export interface ErrorEnvelope {
  error: {
    type: string;
    code: string;
    message: string;
    param?: string;
    detail?: string;
    /** The member in which Anthropic's clients look for error codes they handle. */
    details?: { error_code: string };
    limit?: number;
    used?: number;
    resets_at?: string;
  };
}

export function toEnvelope(error: GatewayError): ErrorEnvelope {
  const body: ErrorEnvelope['error'] = {
    type: error.row.type,
    code: error.code,
    message: error.publicMessage,
  };
  if (error.param !== undefined) body.param = error.param;
  if (error.detail !== undefined) body.detail = error.detail;
  if (error.formatCode !== undefined) body.details = { error_code: error.formatCode };
  if (error.cap) {
    body.limit = usdFromNano(error.cap.limitNano);
    body.used = usdFromNano(error.cap.usedNano);
    if (error.cap.resetsAtMs !== undefined) body.resets_at = new Date(error.cap.resetsAtMs).toISOString();
  }
  return { error: body };
}

/** Returns the headers that accompany the envelope; edge adds the request id. */
export function errorHeaders(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = error.rates ? rateHeaders(error.rates) : {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.maxTokens !== undefined) headers['x-gateway-max-tokens'] = String(error.maxTokens);
  if (error.shouldRetry !== undefined) headers['x-should-retry'] = String(error.shouldRetry);
  return headers;
}
