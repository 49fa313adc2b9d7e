import type { Pool } from '@gateway/postgres';
import {
  createInvitationBody,
  type Invitation as InvitationJson,
  invitationResponse,
  invitationsResponse,
  newInvitationResponse,
} from '../api/operators';
import { createInvitation, type Invitation, listInvitations, revokeInvitation } from '../store/invitations';
import { type Endpoint, endpoint } from './endpoint';

/** Invitations to register an account, which `REGISTRATION=invite` requires. */
export const adminInvitationEndpoints = ({ pool }: { readonly pool: Pool }): Endpoint[] => [
  endpoint('operator', 'GET /admin/invitations', {
    summary: 'List the latest 1,000 invitations, newest first',
    response: invitationsResponse,
    handle: async () => ({ data: (await listInvitations(pool)).map(toInvitationJson) }),
  }),
  endpoint('operator', 'POST /admin/invitations', {
    summary: 'Create an invitation to register one account; the response has its code, which is shown once',
    body: createInvitationBody,
    optionalBody: true,
    response: newInvitationResponse,
    async handle({ user, body }) {
      const { email = null, expires_in_days: days } = body;
      const { invitation, code } = await createInvitation(pool, { email, days, createdBy: user.id });
      return { ...toInvitationJson(invitation), code };
    },
  }),
  endpoint('operator', 'POST /admin/invitations/:id/revoke', {
    summary: 'Revoke an invitation that was not used',
    response: invitationResponse,
    handle: async ({ params }) => toInvitationJson(await revokeInvitation(pool, params.id ?? '')),
  }),
];

const toInvitationJson = ({
  id,
  email,
  status,
  createdAt,
  expiresAt,
  accountId,
}: Invitation): InvitationJson => ({
  id,
  email,
  status,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt.toISOString(),
  // Not `account_id`: the entry in the audit log concerns no account.
  registered_account_id: accountId,
});
