import { GatewayError } from '@gateway/errors';

export function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
