import type { AuditEntry } from './audit';
import type { Role } from './auth';
import type { LedgerEntry, Topup } from './billing';
import { apiGet, apiPost, type Page } from './client';
import type { ApiKey } from './keys';
import type { Member, NewMember } from './members';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly owner_email: string | null;
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

/** With the owner's first password, which is shown this once. */
export interface NewAccount extends Account {
  readonly owner?: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly password: string;
  };
}

const pathOf = (id: string) => `admin/accounts/${encodeURIComponent(id)}`;

/** Of a name, an email or an id; newest first. */
export const listAccounts = (query: string, cursor?: string, limit?: number) =>
  apiGet<Page<Account>>('admin/accounts', { query, cursor, limit });
/** Without an owner, a repeated call with the same key is the same account; with one, their email makes it so. */
export const createAccount = (
  account: { name: string; owner?: { email: string; name?: string } },
  idempotencyKey: string,
) => apiPost<NewAccount>('admin/accounts', account, { idempotencyKey });
export const getAccount = (id: string) => apiGet<Account>(pathOf(id));
export const suspendAccount = (id: string, suspended: boolean) =>
  apiPost<Account>(`${pathOf(id)}/suspend`, { suspended });
/** A repeated call with the same key is the same top-up. */
export const topUpAccount = (
  id: string,
  topup: { amount: number; status: 'cleared' | 'pending'; reference?: string },
  idempotencyKey: string,
) => apiPost<Topup>(`${pathOf(id)}/topups`, topup, { idempotencyKey });
export const adjustAccount = (
  id: string,
  adjustment: { amount: number; reason: string },
  idempotencyKey: string,
) =>
  apiPost<LedgerEntry & { account_id: string }>(`${pathOf(id)}/adjustments`, adjustment, { idempotencyKey });
export const listTopupsOf = (id: string, cursor?: string) =>
  apiGet<Page<Topup>>(`${pathOf(id)}/topups`, { cursor });
export const listLedgerOf = (id: string, cursor?: string) =>
  apiGet<Page<LedgerEntry>>(`${pathOf(id)}/ledger`, { cursor });
/** What a call cost the operator beyond its charge. */
export interface OperatorLoss {
  readonly request_id: string;
  readonly reason: string;
  readonly amount: number;
  readonly created_at: string;
}
export interface AbandonedCost {
  readonly last_hour: number;
  readonly limit: number;
  /** Null: new calls are not refused. */
  readonly limited_until: string | null;
}
export const listLossesOf = (id: string, cursor?: string) =>
  apiGet<Page<OperatorLoss>>(`${pathOf(id)}/losses`, { cursor });
export const getAbandonedCost = (id: string) => apiGet<AbandonedCost>(`${pathOf(id)}/abandoned`);
export const listKeysOf = (id: string, cursor?: string) =>
  apiGet<Page<ApiKey>>(`${pathOf(id)}/keys`, { cursor });
export const listMembersOf = (id: string, cursor?: string) =>
  apiGet<Page<Member>>(`${pathOf(id)}/members`, { cursor });
export const addMemberTo = (id: string, member: { email: string; name: string; role: Role }) =>
  apiPost<NewMember>(`${pathOf(id)}/members`, member);
/** For one who lost it; his logins end. */
export const renewPasswordIn = (id: string, memberId: string) =>
  apiPost<NewMember>(`${pathOf(id)}/members/${encodeURIComponent(memberId)}/password`);
/** Of all accounts. */
export const listPendingTopups = (cursor?: string) =>
  apiGet<Page<Topup>>('admin/topups', { status: 'pending', cursor });
export const clearTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/clear`);
/** It never clears. */
export const voidTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/void`);
/** Of any account; `value_ends_at` is of a value that a rotation has replaced. */
export type FoundKey = ApiKey & { readonly account_id: string; readonly value_ends_at: string | null };
/** By its whole value. */
export const findKey = (value: string) => apiPost<FoundKey>('admin/keys/find', { value });
export const revokeKey = (id: string) =>
  apiPost<ApiKey & { account_id: string }>(`admin/keys/${encodeURIComponent(id)}/revoke`);
/** Null: it concerns the whole gateway. */
export type AnyAuditEntry = AuditEntry & { readonly account_id: string | null };
/** Of all accounts, unless one is named. */
export const listAllAudit = (accountId: string, cursor?: string, limit?: number) =>
  apiGet<Page<AnyAuditEntry>>('admin/audit', { account_id: accountId, cursor, limit });
