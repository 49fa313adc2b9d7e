import { GatewayError } from '@gateway/errors';
import type { DashboardServiceClient } from '@gateway/proto/generated/gateway/dashboard/v1/DashboardService';
import { callUnary } from '@gateway/rpc';
import type { JSONWebKeySet } from 'jose';

const TIMEOUT_MS = 5_000;

/** The dashboard's public keys. */
export async function fetchSigningKeys(client: DashboardServiceClient): Promise<JSONWebKeySet> {
  const answer = await callUnary(client, client.GetSigningKeys, {}, { timeoutMs: TIMEOUT_MS });
  const keySet = JSON.parse(answer?.jwksJson ?? '') as Partial<JSONWebKeySet>;
  if (!Array.isArray(keySet.keys))
    throw new GatewayError('internal_error', { cause: new Error('no key set') });
  return { keys: keySet.keys };
}
