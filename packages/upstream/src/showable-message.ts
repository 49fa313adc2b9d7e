const MAX_MESSAGE_CHARS = 500;
const CREDENTIAL = /bearer|authorization|api[\s_-]?key|secret|\bsk-/i;
const OUR_ACCOUNT = /\b(org-|proj_)[a-z0-9]|\byour (organi[sz]ation|project|team|account)\b/i;

/**
 * A provider's own words, as far as callers may read them. Undefined for what is no text, and for what speaks of
 * credentials or of an account: they are ours, not the caller's.
 */
export function showableMessage(message: unknown): string | undefined {
  if (typeof message !== 'string' || message === '') return undefined;
  if (CREDENTIAL.test(message) || OUR_ACCOUNT.test(message)) return undefined;
  return message.slice(0, MAX_MESSAGE_CHARS);
}
