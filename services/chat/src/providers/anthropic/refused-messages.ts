import { membersOf, textOf, type UpstreamFailure } from '@gateway/upstream';
import type { RefusedResponse } from '../../domain/chat-provider';

/** Values of `error.details.error_code` for problems of our account (SDK 1.10, `resources/shared`). */
const OUR_ACCOUNT = new Set([
  'claude_code_key_creator_not_member',
  'cmek_key_disabled',
  'cmek_key_network_blocked',
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'linked_organization_spend_limit_reached',
  'organization_on_hold',
  'organization_type_not_supported',
  'parent_organization_required',
]);
/**
 * An account without funds or above its limit is answered with a 400 without a specific code. Matched only at the start,
 * because messages quote the call further on.
 */
const OUR_BILLING =
  /^(your credit balance is|you have reached your [^.'"`:]{0,40}\bapi usage limits|this organization has been (disabled|suspended))/i;

/** Statuses that blame the call for a problem of our account: the caller learns nothing about it. */
export function refusedMessages({ body }: RefusedResponse): UpstreamFailure | undefined {
  const { message, details } = membersOf(membersOf(body).error);
  const ours = OUR_ACCOUNT.has(textOf(membersOf(details).error_code)) || OUR_BILLING.test(textOf(message));
  return ours ? { kind: 'status', status: 402 } : undefined;
}
