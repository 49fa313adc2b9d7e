import { GatewayError } from '@gateway/errors';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { validUntilMs } from '../keys/rules/presented-key';
import type { ResolvedKeyRow } from '../keys/store/keys';

/** Returns the key and until when it is valid, 0 without an end. Throws `invalid_api_key` or `expired_api_key`. */
export function toResolvedKey(
  row: ResolvedKeyRow | undefined,
  cell: string,
): { key: KeyContext; validUntilMs: number } {
  if (!row) throw new GatewayError('invalid_api_key');
  return {
    validUntilMs: validUntilMs(fromRow(row), Number(row.now_ms)),
    key: {
      keyId: row.id,
      accountId: row.account_id,
      allowedModels: row.allowed_models,
      previewModels: row.preview_models,
      valueId: row.value_id,
      bareModelNames: row.bare_model_names,
      noFallbackModels: row.no_fallback_models,
      dropUnsupportedTools: row.drop_unsupported_tools,
      detailedMessages: row.detailed_messages,
      hasTpmLimit: row.has_tpm_limit,
      scopes: row.scopes,
      allowedIps: row.allowed_ips,
      cell,
    },
  };
}

const fromRow = (row: ResolvedKeyRow) => ({
  live: row.status === 'enabled',
  accountActive: row.account_status === 'active',
  expiresAtMs: row.expires_at_ms === null ? null : Number(row.expires_at_ms),
  retiresAtMs: row.retires_at_ms === null ? null : Number(row.retires_at_ms),
});
