const MIN_CHARACTERS = 8;
/** Bounds what is hashed. */
const MAX_CHARACTERS = 256;

/** What is wrong with a new password, or undefined. */
export function passwordProblem(password: string): string | undefined {
  if (password.length < MIN_CHARACTERS) return `shorter than ${MIN_CHARACTERS} characters`;
  if (password.length > MAX_CHARACTERS) return `longer than ${MAX_CHARACTERS} characters`;
  return undefined;
}
