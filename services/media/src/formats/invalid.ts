import { GatewayError } from '@gateway/errors';
import type { z } from '@gateway/process';

const MAX_DETAIL_CHARS = 300;

export function schemaError(issues: readonly z.core.$ZodIssue[]): GatewayError {
  const [issue] = issues;
  const field = issue?.path.join('.') || 'body';
  return invalid(`${field}: ${issue?.message ?? 'malformed'}`.slice(0, MAX_DETAIL_CHARS));
}

export function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
