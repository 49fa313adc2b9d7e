import { COMMON_PASSWORDS } from './common-passwords';

const MIN_CHARACTERS = 8;
/** Bounds the input of the hash. */
const MAX_CHARACTERS = 256;

/**
 * Returns what is wrong with a new password, or undefined.
 * @param email of its user, normalized; a password that repeats it is the first guess
 */
export function passwordProblem(password: string, email: string): string | undefined {
  if (password.length < MIN_CHARACTERS) return `shorter than ${MIN_CHARACTERS} characters`;
  if (password.length > MAX_CHARACTERS) return `longer than ${MAX_CHARACTERS} characters`;
  const lowerCase = password.toLowerCase();
  if (COMMON_PASSWORDS.has(lowerCase)) return 'one of the most common passwords';
  if (lowerCase === email || lowerCase === email.split('@')[0]) return 'the same as the email address';
  return undefined;
}
