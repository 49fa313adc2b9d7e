import { scrubIdentifiers } from './scrub-identifiers';

const MAX_MESSAGE_CHARS = 500;
/** Length that is read of a message; the rest is not shown. */
const MAX_READ_CHARS = 2_000;
const CREDENTIAL = /bearer|authorization|api[\s_-]?key|secret|\bsk-/i;
const OUR_ACCOUNT = /\b(org-|proj_)[a-z0-9]|\byour (organi[sz]ation|project|team|account)\b/i;

/**
 * Returns a provider's error message as callers may read it: cut to 500 characters and without hosts, addresses, URLs, emails
 * and ids. Undefined for an empty message and for one about credentials or an account, which concern the operator.
 */
export function showableMessage(message: unknown): string | undefined {
  if (typeof message !== 'string' || message === '') return undefined;
  if (CREDENTIAL.test(message) || OUR_ACCOUNT.test(message)) return undefined;
  return scrubIdentifiers(message.slice(0, MAX_READ_CHARS)).slice(0, MAX_MESSAGE_CHARS);
}
