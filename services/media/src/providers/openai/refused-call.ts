import { membersOf, textOf, type UpstreamError } from '@gateway/upstream';
import { refusedBy } from '../refusal';
import type { JsonReply } from '../send-json';

/** Our account has no funds or is closed; OpenAI answers 429 (developers.openai.com, "Error codes"). */
const OUR_ACCOUNT =
  /^(account_deactivated|billing_|credit_balance_|insufficient_quota|organization_|project_spend)/;

/** Returns what an error of OpenAI means. */
export function refusedCall({ status, headers, value }: JsonReply): UpstreamError {
  const { code, type, message } = membersOf(membersOf(value).error);
  if (OUR_ACCOUNT.test(textOf(code)) || OUR_ACCOUNT.test(textOf(type)))
    return refusedBy({ status: 402, headers });
  if (code === 'invalid_api_key' || type === 'authentication_error')
    return refusedBy({ status: 401, headers });
  return refusedBy({ status, headers, message });
}
