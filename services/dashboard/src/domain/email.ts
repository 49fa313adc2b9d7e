const MAX_LENGTH = 254;
// Ownership of an address is proved by mail, not by grammar: this only refuses what no server would accept.
const FORM = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]+\.[^\s@<>(),;:"\\[\]]+$/u;

/** Returns one spelling for each address; undefined for an invalid address. */
export function normaliseEmail(email: string): string | undefined {
  const normal = email.normalize('NFKC').trim().toLowerCase();
  if (normal.length > MAX_LENGTH || !FORM.test(normal) || hasControl(normal)) return undefined;
  return normal;
}

function hasControl(text: string): boolean {
  return !text.isWellFormed() || /\p{Cc}/u.test(text);
}
