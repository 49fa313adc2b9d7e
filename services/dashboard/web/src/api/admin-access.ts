import type {
  AddedOperator,
  Invitation,
  InvitationInput,
  InvitationList,
  NewInvitation,
  Operator,
  OperatorInput,
  OperatorList,
} from '../../../src/api/operators';
import { apiGet, apiPost } from './client';

export type * from '../../../src/api/operators';

export const listOperators = async () => (await apiGet<OperatorList>('admin/operators')).data;
export const addOperator = (operator: OperatorInput) => apiPost<AddedOperator>('admin/operators', operator);
export const removeOperator = (id: string) =>
  apiPost<Operator>(`admin/operators/${encodeURIComponent(id)}/remove`);

export const listInvitations = async () => (await apiGet<InvitationList>('admin/invitations')).data;
export const createInvitation = (invitation: InvitationInput) =>
  apiPost<NewInvitation>('admin/invitations', invitation);
export const revokeInvitation = (id: string) =>
  apiPost<Invitation>(`admin/invitations/${encodeURIComponent(id)}/revoke`);
