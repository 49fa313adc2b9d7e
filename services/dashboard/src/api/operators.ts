import { z } from 'zod';
import { emailAddress, id, type Json, type JsonBody, label, time } from './fields';
import { password } from './members';

const operator = {
  id,
  email: z.string(),
  name: z.string(),
  account_id: id,
  must_change_password: z.boolean(),
};
export const operatorResponse = z.object(operator).meta({ id: 'Operator' });
export const operatorsResponse = z.object({ data: z.array(operatorResponse) });
export const addedOperatorResponse = z.object({ ...operator, password });
const invitation = {
  id,
  email: z.string().nullable().meta({ description: 'Null: any email' }),
  status: z.enum(['open', 'used', 'expired', 'revoked']),
  created_at: time,
  expires_at: time,
  registered_account_id: id.nullable(),
};
export const invitationResponse = z.object(invitation).meta({ id: 'Invitation' });
export const invitationsResponse = z.object({ data: z.array(invitationResponse) });
export const newInvitationResponse = z.object({
  ...invitation,
  code: z.string().meta({ description: 'For `invitation` of `POST auth/register`, shown once' }),
});

export const addOperatorBody = z.strictObject({ email: emailAddress, name: label(200).optional() });

const MAX_DAYS = 365;
const DEFAULT_DAYS = 7;

export const createInvitationBody = z.strictObject({
  email: emailAddress.nullish(),
  expires_in_days: z.number().int().min(1).max(MAX_DAYS).default(DEFAULT_DAYS),
});

export type OperatorList = Json<typeof operatorsResponse>;
export type Operator = Json<typeof operatorResponse>;
export type OperatorInput = JsonBody<typeof addOperatorBody>;
/** With the first password, which is shown once. */
export type AddedOperator = Json<typeof addedOperatorResponse>;
export type InvitationList = Json<typeof invitationsResponse>;
export type Invitation = Json<typeof invitationResponse>;
export type InvitationInput = JsonBody<typeof createInvitationBody>;
/** With the code, which is shown once. */
export type NewInvitation = Json<typeof newInvitationResponse>;
