import type { CredentialInput, CredentialLimits } from '../../../api/admin-providers';
import { parseUsd } from '../../../ui/parse-usd';
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
  ...limitsOf(form),
  ...(secretOf(form) ?? { secret: NO_KEY }),
});

/** Returns what a form changes: always all fields but the secret, which is there if there is a new one. */
export const readCredentialChange = (form: FormData) => ({
  name: textOf(form, 'credential_name'),
  ...weightOf(form),
  ...limitsOf(form),
  ...secretOf(form),
});

/** Fields of limits, and how each is parsed; an empty one is none. */
const PARSE = {
  rpm_limit: parseCount,
  tpm_limit: parseCount,
  concurrency_limit: parseCount,
  daily_cost_limit: parseUsd,
} as const satisfies Record<keyof CredentialLimits, (text: string) => number | undefined>;

/** Returns the limits of a form that has them. */
function limitsOf(form: FormData): Partial<CredentialLimits> {
  const given = Object.entries(PARSE).filter(([name]) => form.has(name));
  return Object.fromEntries(given.map(([name, parse]) => [name, parse(textOf(form, name)) || null]));
}

function weightOf(form: FormData): { weight?: number } {
  const weight = parseCount(textOf(form, 'weight'));
  return weight === undefined ? {} : { weight };
}
