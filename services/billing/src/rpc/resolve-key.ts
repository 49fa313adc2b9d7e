import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { ResolveKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyRequest';
import type { ResolveKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyResponse';
import type { RequestContext } from '@gateway/rpc';
import { findCellOfKey } from '../directory/store/directory';
import { isWellFormedKeyValue, keyValueMac } from '../keys/rules/key-value';
import { findKeyByMacs } from '../keys/store/keys';
import { toResolvedKey } from './to-resolved-key';

export const resolveKey =
  (pool: Pool, peppers: readonly string[], ownCell: string) =>
  async (_context: RequestContext, request: ResolveKeyRequest__Output): Promise<ResolveKeyResponse> => {
    if (!isWellFormedKeyValue(request.key)) throw new GatewayError('invalid_api_key');
    const macs = peppers.map((pepper) => keyValueMac(request.key, pepper));
    const row = await findKeyByMacs(pool, macs);
    const cell = row ? undefined : await findCellOfKey(pool, macs);
    if (cell !== undefined) return { cell };
    const { key, validUntilMs } = toResolvedKey(row, ownCell);
    return { key, validUntilMs: String(validUntilMs) };
  };
