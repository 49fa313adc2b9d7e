import type { CredentialInput } from '../../../api/admin-providers';
import { parseCount } from '../models/parse-count';

/** Endpoints without keys ignore it; every provider has a credential. */
const NO_KEY = 'none';

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** Returns the secret or the reference of a form; undefined if it has neither. */
function secretOf(form: FormData): { secret: string } | { secret_ref: string } | undefined {
  const secret = textOf(form, 'secret');
  if (secret !== '') return { secret };
  const reference = textOf(form, 'secret_ref');
  return reference === '' ? undefined : { secret_ref: reference };
}

/** Returns the credential of a form. Without a secret it is one for an endpoint that needs no key. */
export const readCredential = (form: FormData): CredentialInput => ({
  name: textOf(form, 'credential_name'),
  ...weightOf(form),
  ...(secretOf(form) ?? { secret: NO_KEY }),
});

/** Returns what a form changes: always the name and the weight, and the secret if there is a new one. */
export const readCredentialChange = (form: FormData) => ({
  name: textOf(form, 'credential_name'),
  ...weightOf(form),
  ...secretOf(form),
});

function weightOf(form: FormData): { weight?: number } {
  const weight = parseCount(textOf(form, 'weight'));
  return weight === undefined ? {} : { weight };
}
