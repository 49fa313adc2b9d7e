import { membersOf, showableMessage, textOf } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import { refusedBy } from '../refusal';
import type { JsonReply } from '../send-json';

/** Refused by policy. */
const POLICY = new Set(['moderation_blocked', 'content_policy_violation']);
/** Values that a catalog may list by mistake: always refused, so a retry does not help. */
const OFFERED = new Set([
  'size',
  'n',
  'output_format',
  'quality',
  'background',
  'output_compression',
  'mask',
]);
/** Our account has no funds or is closed; OpenAI answers 429 (developers.openai.com, "Error codes"). */
const OUR_ACCOUNT =
  /^(account_deactivated|billing_|credit_balance_|insufficient_quota|organization_|project_spend)/;
const CALLERS_FAULT = new Set([400, 413, 415, 422]);

/** Returns what an error means, as MediaRefused or UpstreamError. */
export function refusedImage({ status, headers, value }: JsonReply): Error {
  const { code, type, message, param } = membersOf(membersOf(value).error);
  if (OUR_ACCOUNT.test(textOf(code)) || OUR_ACCOUNT.test(textOf(type)))
    return refusedBy({ status: 402, headers });
  if (code === 'invalid_api_key' || type === 'authentication_error')
    return refusedBy({ status: 401, headers });
  if (CALLERS_FAULT.has(status) && (POLICY.has(textOf(code)) || OFFERED.has(textOf(param)))) {
    return new MediaRefused(showableMessage(message) ?? 'the provider refused it');
  }
  return refusedBy({ status, headers, message });
}
