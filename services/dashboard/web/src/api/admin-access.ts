import { apiGet, apiPost } from './client';

export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly account_id: string;
  readonly must_change_password: boolean;
}

/** The first password is shown once. */
export interface AddedOperator extends Operator {
  readonly password: string;
}

export interface Invitation {
  readonly id: string;
  /** Null: any email. */
  readonly email: string | null;
  readonly status: 'open' | 'used' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly expires_at: string;
  readonly registered_account_id: string | null;
}

/** The code is shown once. */
export interface NewInvitation extends Invitation {
  readonly code: string;
}

const listOf = async <T>(path: string) => (await apiGet<{ data: readonly T[] }>(path)).data;

export const listOperators = () => listOf<Operator>('admin/operators');
export const addOperator = (operator: { email: string; name?: string }) =>
  apiPost<AddedOperator>('admin/operators', operator);
export const removeOperator = (id: string) =>
  apiPost<Operator>(`admin/operators/${encodeURIComponent(id)}/remove`);

export const listInvitations = () => listOf<Invitation>('admin/invitations');
export const createInvitation = (invitation: { email?: string; expires_in_days: number }) =>
  apiPost<NewInvitation>('admin/invitations', invitation);
export const revokeInvitation = (id: string) =>
  apiPost<Invitation>(`admin/invitations/${encodeURIComponent(id)}/revoke`);
