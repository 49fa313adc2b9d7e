import type { CurrentKeys } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { ModelPermissionError } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/**
 * Decides with the cached key and, if that refuses, with its current state. For calls that can't be restarted as a whole,
 * because their body can be read only once.
 */
export async function decideByCurrentKey<T>(
  keys: CurrentKeys,
  known: KeyContext__Output,
  decide: (key: KeyContext__Output) => T,
): Promise<T> {
  try {
    return decide(known);
  } catch (error) {
    if (!(error instanceof ModelPermissionError)) throw error;
  }
  const current = await keys.current(known);
  try {
    return decide(current);
  } catch (error) {
    throw error instanceof ModelPermissionError ? new GatewayError(error.code) : error;
  }
}
