import type { Role } from './auth';
import { apiGet, apiPost, type Page } from './client';

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
export const deleteMember = (id: string) => apiPost<Member>(`${pathOf(id)}/delete`);
