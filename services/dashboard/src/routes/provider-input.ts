import type { z } from 'zod';
import type { createCredentialBody, credentialLimits } from '../api/providers';
import type { CredentialDraft, CredentialLimits, SecretDraft } from '../domain/configured-provider';

interface SecretInput {
  readonly secret?: string | Readonly<Record<string, unknown>> | undefined;
  readonly secret_ref?: string | undefined;
}

/** Returns undefined if there is neither a secret nor a reference. */
export function toSecret({ secret: value, secret_ref: reference }: SecretInput): SecretDraft | undefined {
  if (value === undefined && reference === undefined) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : (value ?? '');
  // Catalog refuses both together.
  return { value: text, reference: reference ?? '' };
}

type LimitsInput = {
  readonly [Name in keyof typeof credentialLimits]?: z.output<(typeof credentialLimits)[Name]>;
};

/** Returns the given limits; 0 for null, which removes one. */
export const toLimits = ({
  rpm_limit,
  tpm_limit,
  concurrency_limit,
  daily_cost_limit,
}: LimitsInput): CredentialLimits => ({
  ...(rpm_limit !== undefined && { requestsPerMinute: rpm_limit ?? 0 }),
  ...(tpm_limit !== undefined && { tokensPerMinute: tpm_limit ?? 0 }),
  ...(concurrency_limit !== undefined && { concurrency: concurrency_limit ?? 0 }),
  ...(daily_cost_limit !== undefined && { costPerDayNano: daily_cost_limit ?? 0n }),
});

export const toCredential = ({
  name,
  weight: share,
  ...rest
}: z.output<typeof createCredentialBody>): CredentialDraft => ({
  name,
  secret: toSecret(rest) ?? { value: '', reference: '' },
  weight: share,
  limits: toLimits(rest),
});
