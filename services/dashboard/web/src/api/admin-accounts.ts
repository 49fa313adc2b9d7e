import type { AuditEntry } from './audit';
import type { LedgerEntry, Topup } from './billing';
import { apiGet, apiPost, type Page } from './client';
import type { ApiKey } from './keys';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly created_at: string;
  readonly balance: number;
  readonly held: number;
  readonly available: number;
  readonly currency: 'USD';
  readonly daily_limit: number | null;
  readonly when_short: 'lower' | 'refuse';
  readonly preview_models: readonly string[];
}

const pathOf = (id: string) => `admin/accounts/${encodeURIComponent(id)}`;

export const listAccounts = (cursor?: string, limit?: number) =>
  apiGet<Page<Account>>('admin/accounts', { cursor, limit });
export const getAccount = (id: string) => apiGet<Account>(pathOf(id));
export const suspendAccount = (id: string, suspended: boolean) =>
  apiPost<Account>(`${pathOf(id)}/suspend`, { suspended });
/** A repeated call with the same key is the same top-up. */
export const topUpAccount = (
  id: string,
  topup: { amount: number; status: 'cleared' | 'pending' },
  idempotencyKey: string,
) => apiPost<Topup>(`${pathOf(id)}/topups`, topup, { idempotencyKey });
export const adjustAccount = (
  id: string,
  adjustment: { amount: number; reason: string },
  idempotencyKey: string,
) =>
  apiPost<LedgerEntry & { account_id: string }>(`${pathOf(id)}/adjustments`, adjustment, { idempotencyKey });
export const clearTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/clear`);
export const revokeKey = (id: string) =>
  apiPost<ApiKey & { account_id: string }>(`admin/keys/${encodeURIComponent(id)}/revoke`);
export const listAllAudit = (cursor?: string, limit?: number) =>
  apiGet<Page<AuditEntry & { account_id: string }>>('admin/audit', { cursor, limit });
