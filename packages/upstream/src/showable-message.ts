import { scrubIdentifiers } from './scrub-identifiers';

const MAX_MESSAGE_CHARS = 500;
/** Only the first characters of a long message are processed. */
const MAX_READ_CHARS = 2_000;
const CREDENTIAL = /bearer|authorization|api[\s_-]?key|secret|\bsk-/i;
const PROVIDER_ACCOUNT = /\b(org-|proj_)[a-z0-9]|\byour (organi[sz]ation|project|team|account)\b/i;

/**
 * Returns a provider's error message in a form that clients may see: truncated to 500 characters, without hosts, addresses,
 * URLs, emails and ids. Undefined if it is empty, or about credentials or the provider account, which concern the operator.
 */
export function showableMessage(message: unknown): string | undefined {
  if (typeof message !== 'string' || message === '') return undefined;
  if (CREDENTIAL.test(message) || PROVIDER_ACCOUNT.test(message)) return undefined;
  return scrubIdentifiers(message.slice(0, MAX_READ_CHARS)).slice(0, MAX_MESSAGE_CHARS);
}
