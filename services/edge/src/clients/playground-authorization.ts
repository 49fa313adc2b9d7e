import { GatewayError } from '@gateway/errors';
import type { AuthorizePlaygroundCallRequest } from '@gateway/proto/generated/gateway/dashboard/v1/AuthorizePlaygroundCallRequest';
import type { DashboardServiceClient } from '@gateway/proto/generated/gateway/dashboard/v1/DashboardService';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { callUnary } from '@gateway/rpc';

const TIMEOUT_MS = 5_000;

/** Asks the dashboard whether the user may make a playground call with the key. */
export async function authorizePlayground(
  client: DashboardServiceClient,
  request: AuthorizePlaygroundCallRequest,
  requestId: string,
): Promise<KeyContext> {
  const settings = { timeoutMs: TIMEOUT_MS, requestId };
  const answer = await callUnary(client, client.AuthorizePlaygroundCall, request, settings);
  if (!answer) throw new GatewayError('internal_error', { cause: new Error('no authorization') });
  return answer.key ?? {};
}
