import type {
  DeletedMember,
  Member,
  MemberChange,
  MemberInput,
  NewMember,
  RemovedMembers,
} from '../../../src/api/members';
import { apiGet, apiPost, type Page } from './client';

export type * from '../../../src/api/members';

const pathOf = (id: string) => `members/${encodeURIComponent(id)}`;

export const listMembers = (cursor?: string, limit?: number) =>
  apiGet<Page<Member>>('members', { cursor, limit });
export const addMember = (member: MemberInput) => apiPost<NewMember>('members', member);
export const updateMember = (id: string, change: MemberChange) =>
  apiPost<Member>(`${pathOf(id)}/update`, change);
/** For a member who lost the password; ends all logins of the member. */
export const renewPassword = (id: string) => apiPost<NewMember>(`${pathOf(id)}/password`);
/** Returns the keys whose values the member knows. */
export const deleteMember = (id: string) => apiPost<DeletedMember>(`${pathOf(id)}/delete`);

export const listRemovedMembers = async () => (await apiGet<RemovedMembers>('members/removed')).data;
