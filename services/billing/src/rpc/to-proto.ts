import type { Account } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { ApiKey } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { LedgerEntry } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { Topup } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import type { AccountRow } from '../accounts/store/accounts';
import type { KeyRow, KeyStatus } from '../keys/store/keys';
import type { LedgerRow } from '../ledger/store/list-ledger';
import type { TopupRow } from '../ledger/store/topups';

export const toProtoAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  balanceNano: String(row.balance_nano),
  heldNano: String(row.held_nano),
  status: row.status === 'active' ? 'ACCOUNT_STATUS_ACTIVE' : 'ACCOUNT_STATUS_SUSPENDED',
  ...present('dailyLimitNano', row.daily_limit_nano),
  createdAtMs: String(row.created_at_ms),
  whenShort: row.when_short === 'lower' ? 'WHEN_SHORT_LOWER' : 'WHEN_SHORT_REFUSE',
  previewModels: row.preview_models,
  bareModelNames: row.bare_model_names,
});

const KEY_STATUS = {
  enabled: 'KEY_STATUS_ENABLED',
  disabled: 'KEY_STATUS_DISABLED',
  deleted: 'KEY_STATUS_DELETED',
  revoked: 'KEY_STATUS_REVOKED',
} as const satisfies Record<KeyStatus, string>;

export const toProtoKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  status: KEY_STATUS[row.status],
  allowedModels: row.allowed_models,
  ...present('expiresAtMs', row.expires_at_ms),
  ...present('dailyLimitNano', row.daily_limit_nano),
  ...present('monthlyLimitNano', row.monthly_limit_nano),
  ...present('requestCostLimitNano', row.request_cost_limit_nano),
  ...present('rpmLimit', row.rpm_limit),
  ...present('tpmLimit', row.tpm_limit),
  ...(row.bare_model_names !== null && { bareModelNames: row.bare_model_names }),
  noFallbackModels: row.no_fallback_models,
  dropUnsupportedTools: row.drop_unsupported_tools,
  detailedMessages: row.detailed_messages,
  scopes: row.scopes,
  allowedIps: row.allowed_ips,
  ownerLimits: row.owner_limits,
  holderIds: row.holder_ids,
  createdAtMs: String(row.created_at_ms),
  hint: row.hint,
  ...present('revokedAtMs', row.revoked_at_ms),
  revokeReason: row.revoke_reason ?? '',
});

const TOPUP_STATUS = {
  pending: 'TOPUP_STATUS_PENDING',
  cleared: 'TOPUP_STATUS_CLEARED',
  voided: 'TOPUP_STATUS_VOIDED',
} as const satisfies Record<TopupRow['status'], string>;

export const toProtoTopup = (row: TopupRow): Topup => ({
  id: row.id,
  accountId: row.account_id,
  amountNano: String(row.amount_nano),
  status: TOPUP_STATUS[row.status],
  createdAtMs: String(row.created_at_ms),
  ...present('clearedAtMs', row.cleared_at_ms),
  ...present('voidedAtMs', row.voided_at_ms),
  reference: row.reference,
});

const LEDGER_KIND = {
  charge: 'LEDGER_KIND_CHARGE',
  topup: 'LEDGER_KIND_TOPUP',
  adjustment: 'LEDGER_KIND_ADJUSTMENT',
} as const satisfies Record<LedgerRow['kind'], string>;

export const toProtoLedgerEntry = (row: LedgerRow): LedgerEntry => ({
  id: String(row.seq),
  accountId: row.account_id,
  kind: LEDGER_KIND[row.kind],
  amountNano: String(row.amount_nano),
  reference: row.reference,
  createdAtMs: String(row.created_at_ms),
  note: row.note,
  taskId: row.task_id,
});

/** Returns an object with the field, or without it if the value is null. */
function present<Name extends string>(name: Name, value: bigint | null): { [K in Name]?: string } {
  return value === null ? {} : ({ [name]: String(value) } as { [K in Name]: string });
}
