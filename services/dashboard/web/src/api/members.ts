import type { Role } from './auth';
import { apiGet, apiPost, type Page } from './client';
import type { ApiKey } from './keys';

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: string;
}

/** The password is shown once. */
export interface NewMember extends Member {
  readonly password: string;
}

const pathOf = (id: string) => `members/${encodeURIComponent(id)}`;

export const listMembers = (cursor?: string, limit?: number) =>
  apiGet<Page<Member>>('members', { cursor, limit });
export const addMember = (member: { email: string; name: string; role: Role }) =>
  apiPost<NewMember>('members', member);
export const updateMember = (id: string, change: { name?: string; role?: Role }) =>
  apiPost<Member>(`${pathOf(id)}/update`, change);
/** For a member who lost the password; ends all logins of the member. */
export const renewPassword = (id: string) => apiPost<NewMember>(`${pathOf(id)}/password`);
/** Returns the keys whose values the member knows. */
export const deleteMember = (id: string) =>
  apiPost<Member & { readonly keys: readonly ApiKey[] }>(`${pathOf(id)}/delete`);

/** A removed member who knows the values of keys. */
export interface RemovedMember extends Pick<Member, 'id' | 'email' | 'name'> {
  readonly removed_at: string;
  readonly keys: readonly ApiKey[];
}

export const listRemovedMembers = async () =>
  (await apiGet<{ data: readonly RemovedMember[] }>('members/removed')).data;
