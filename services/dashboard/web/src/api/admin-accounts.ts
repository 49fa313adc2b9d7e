import type { Account, AccountInput, NewAccount, SuspendInput } from '../../../src/api/accounts';
import type { AnyAuditEntry } from '../../../src/api/audit';
import type {
  AbandonedCost,
  Adjustment,
  AdjustmentInput,
  LedgerEntry,
  OperatorLoss,
  Topup,
  TopupInput,
} from '../../../src/api/billing';
import type { ApiKey, FindKeyInput, FoundKey, RevokedKey } from '../../../src/api/keys';
import type { AddedMember, Member, MemberInput } from '../../../src/api/members';
import { apiGet, apiPost, type Page } from './client';

export type * from '../../../src/api/accounts';
export type * from '../../../src/api/audit';
export type * from '../../../src/api/billing';
export type * from '../../../src/api/keys';
export type * from '../../../src/api/members';

const pathOf = (id: string) => `admin/accounts/${encodeURIComponent(id)}`;

/** Searches names, emails and ids in one cell, by default home; newest first. */
export const listAccounts = (query: string, cell?: string, cursor?: string) =>
  apiGet<Page<Account>>('admin/accounts', { query, cell, cursor });
/** Idempotent: by the owner's email, or without an owner by the key. */
export const createAccount = (account: AccountInput, idempotencyKey: string) =>
  apiPost<NewAccount>('admin/accounts', account, { idempotencyKey });
export const getAccount = (id: string) => apiGet<Account>(pathOf(id));
export const suspendAccount = (id: string, suspended: boolean) =>
  apiPost<Account>(`${pathOf(id)}/suspend`, { suspended } satisfies SuspendInput);
/** Idempotent by the key. */
export const topUpAccount = (id: string, topup: TopupInput, idempotencyKey: string) =>
  apiPost<Topup>(`${pathOf(id)}/topups`, topup, { idempotencyKey });
export const adjustAccount = (id: string, adjustment: AdjustmentInput, idempotencyKey: string) =>
  apiPost<Adjustment>(`${pathOf(id)}/adjustments`, adjustment, { idempotencyKey });
export const listTopupsOf = (id: string, cursor?: string) =>
  apiGet<Page<Topup>>(`${pathOf(id)}/topups`, { cursor });
export const listLedgerOf = (id: string, cursor?: string) =>
  apiGet<Page<LedgerEntry>>(`${pathOf(id)}/ledger`, { cursor });
export const listLossesOf = (id: string, cursor?: string) =>
  apiGet<Page<OperatorLoss>>(`${pathOf(id)}/losses`, { cursor });
export const getAbandonedCost = (id: string) => apiGet<AbandonedCost>(`${pathOf(id)}/abandoned`);
export const listKeysOf = (id: string, cursor?: string) =>
  apiGet<Page<ApiKey>>(`${pathOf(id)}/keys`, { cursor });
export const listMembersOf = (id: string, cursor?: string) =>
  apiGet<Page<Member>>(`${pathOf(id)}/members`, { cursor });
export const addMemberTo = (id: string, member: MemberInput) =>
  apiPost<AddedMember>(`${pathOf(id)}/members`, member);
/** For a member who lost the password; ends all logins of the member. */
export const renewPasswordIn = (id: string, memberId: string) =>
  apiPost<AddedMember>(`${pathOf(id)}/members/${encodeURIComponent(memberId)}/password`);
/** Top-ups of all accounts of a cell, by default of home. */
export const listPendingTopups = (cell?: string, cursor?: string) =>
  apiGet<Page<Topup>>('admin/topups', { status: 'pending', cell, cursor });
export const clearTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/clear`);
/** A voided top-up never clears. */
export const voidTopup = (id: string) => apiPost<Topup>(`admin/topups/${encodeURIComponent(id)}/void`);
/** Finds a key by its complete value. */
export const findKey = (value: string) =>
  apiPost<FoundKey>('admin/keys/find', { value } satisfies FindKeyInput);
export const revokeKey = (id: string) => apiPost<RevokedKey>(`admin/keys/${encodeURIComponent(id)}/revoke`);
/** Entries of all accounts, or of the given account. */
export const listAllAudit = (accountId: string, cursor?: string, limit?: number) =>
  apiGet<Page<AnyAuditEntry>>('admin/audit', { account_id: accountId, cursor, limit });
