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
  readonly cell: string;
}

/** The owner's first password is shown once. */
export interface NewAccount extends Account {
  readonly owner?: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly password: string;
  };
}

const pathOf = (id: string) => `admin/accounts/${encodeURIComponent(id)}`;

/** Searches names, emails and ids in one cell, by default home; newest first. */
export const listAccounts = (query: string, cell?: string, cursor?: string) =>
  apiGet<Page<Account>>('admin/accounts', { query, cell, cursor });
/** Idempotent: by the owner's email, or without an owner by the key. */
export const createAccount = (
  account: { name: string; owner?: { email: string; name?: string } },
  idempotencyKey: string,
) => apiPost<NewAccount>('admin/accounts', account, { idempotencyKey });
export const getAccount = (id: string) => apiGet<Account>(pathOf(id));
export const suspendAccount = (id: string, suspended: boolean) =>
  apiPost<Account>(`${pathOf(id)}/suspend`, { suspended });
/** Idempotent by the key. */
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
/** The cost of a call beyond its charge, which the operator pays. */
export interface OperatorLoss {
  readonly request_id: string;
  readonly reason: string;
  readonly amount: number;
  readonly created_at: string;
}
export interface AbandonedCost {
  readonly last_hour: number;
  readonly limit: number;
  /** Null: the account is not limited. */
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
/** For a member who lost the password; ends all logins of the member. */
export const renewPasswordIn = (id: string, memberId: string) =>
  apiPost<NewMember>(`${pathOf(id)}/members/${encodeURIComponent(memberId)}/password`);
/** Top-ups of all accounts of a cell, by default of home. */
export const listPendingTopups = (cell?: string, cursor?: string) =>
  apiGet<Page<Topup>>('admin/topups', { status: 'pending', cell, cursor });
export const clearTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/clear`);
/** A voided top-up never clears. */
export const voidTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/void`);
/** A key of any account; `value_ends_at` is set for a value that a rotation has replaced. */
export type FoundKey = ApiKey & { readonly account_id: string; readonly value_ends_at: string | null };
/** Finds a key by its complete value. */
export const findKey = (value: string) => apiPost<FoundKey>('admin/keys/find', { value });
export const revokeKey = (id: string) =>
  apiPost<ApiKey & { account_id: string }>(`admin/keys/${encodeURIComponent(id)}/revoke`);
/** Null: the entry concerns the whole gateway. */
export type AnyAuditEntry = AuditEntry & { readonly account_id: string | null };
/** Entries of all accounts, or of the given account. */
export const listAllAudit = (accountId: string, cursor?: string, limit?: number) =>
  apiGet<Page<AnyAuditEntry>>('admin/audit', { account_id: accountId, cursor, limit });
