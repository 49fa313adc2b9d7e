import { GatewayError } from '@gateway/errors';
import { isOutOfRange } from '../../store/statement';

/** @throws GatewayError `invalid_request` where an amount would take a balance out of int8, some nine billion USD */
export function rethrowOutOfRange(error: unknown): never {
  if (!isOutOfRange(error)) throw error;
  throw new GatewayError('invalid_request', { detail: 'the balance would be out of range', cause: error });
}
