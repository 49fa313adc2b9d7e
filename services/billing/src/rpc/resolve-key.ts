import { GatewayError } from '@gateway/proto';
import type { ResolveKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyRequest';
import type { ResolveKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyResponse';
import type { Pool, RequestContext } from '@gateway/runtime';
import { isWellFormedKeyValue, keyValueMac } from '../domain/key-value';
import { validUntilMs } from '../domain/presented-key';
import { findKeyByMacs, type ResolvedKeyRow } from '../store/keys';

export const resolveKey =
  (pool: Pool, peppers: readonly string[]) =>
  async (_context: RequestContext, request: ResolveKeyRequest__Output): Promise<ResolveKeyResponse> => {
    if (!isWellFormedKeyValue(request.key)) throw new GatewayError('invalid_api_key');
    const macs = peppers.map((pepper) => keyValueMac(request.key, pepper));
    const row = await findKeyByMacs(pool, macs);
    const untilMs = validUntilMs(row && fromRow(row), Number(row?.now_ms));
    if (!row) throw new GatewayError('invalid_api_key');
    return {
      key: {
        keyId: row.id,
        accountId: row.account_id,
        allowedModels: row.allowed_models,
        previewModels: row.preview_models,
      },
      validUntilMs: String(untilMs),
    };
  };

const fromRow = (row: ResolvedKeyRow) => ({
  live: row.status === 'enabled',
  accountActive: row.account_status === 'active',
  expiresAtMs: row.expires_at_ms === null ? null : Number(row.expires_at_ms),
  retiresAtMs: row.retires_at_ms === null ? null : Number(row.retires_at_ms),
});
