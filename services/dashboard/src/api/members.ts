import { z } from 'zod';
import { emailAddress, id, type Json, type JsonBody, label, role, time } from './fields';
import { keyResponse } from './keys';

const member = { id, email: z.string(), name: z.string(), role, created_at: time };
export const password = z.string().meta({ description: 'The first password, shown once' });
export const memberResponse = z.object(member).meta({ id: 'Member' });
export const newMemberResponse = z.object({ ...member, password }).meta({ id: 'NewMember' });
const heldKeys = z
  .array(keyResponse)
  .meta({ description: 'Keys whose values the member knows: disable, regenerate or delete them' });
export const deletedMemberResponse = z.object({ ...member, deleted: z.literal(true), keys: heldKeys });
export const removedMembersResponse = z.object({
  data: z.array(z.object({ id, email: z.string(), name: z.string(), removed_at: time, keys: heldKeys })),
});
export const addedMemberResponse = z.object({ ...member, account_id: id, password });

export const createMemberBody = z.strictObject({ email: emailAddress, name: label(200), role });
export const updateMemberBody = z.strictObject({ name: label(200).optional(), role: role.optional() });

export type Member = Json<typeof memberResponse>;
export type MemberInput = JsonBody<typeof createMemberBody>;
export type MemberChange = JsonBody<typeof updateMemberBody>;
/** With the first password, which is shown once. */
export type NewMember = Json<typeof newMemberResponse>;
export type DeletedMember = Json<typeof deletedMemberResponse>;
export type RemovedMembers = Json<typeof removedMembersResponse>;
export type RemovedMember = RemovedMembers['data'][number];
export type AddedMember = Json<typeof addedMemberResponse>;
