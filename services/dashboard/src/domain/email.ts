const MAX_LENGTH = 254;
// Who owns an address is decided by mail, not by grammar: this only refuses what no server would take.
const FORM = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]+\.[^\s@<>(),;:"\\[\]]+$/u;

/** One spelling for each address, or undefined when it is none. */
export function normaliseEmail(email: string): string | undefined {
  const normal = email.normalize('NFKC').trim().toLowerCase();
  if (normal.length > MAX_LENGTH || !FORM.test(normal) || hasControl(normal)) return undefined;
  return normal;
}

function hasControl(text: string): boolean {
  return !text.isWellFormed() || /\p{Cc}/u.test(text);
}
