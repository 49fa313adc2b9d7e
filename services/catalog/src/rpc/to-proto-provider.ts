import type { CredentialLimits as CredentialLimitsProto } from '@gateway/proto/generated/gateway/catalog/v1/CredentialLimits';
import type { Provider as ProviderProto } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { StoredSecret as StoredSecretProto } from '@gateway/proto/generated/gateway/catalog/v1/StoredSecret';
import type { CredentialLimits, Provider, StoredSecret } from '../domain/provider';

/** Contains no secret. */
export const toProtoProvider = (provider: Provider): ProviderProto => ({
  id: provider.id,
  kind: provider.kind,
  name: provider.name,
  baseUrl: provider.baseUrl,
  headers: { ...provider.headers },
  optionsJson: JSON.stringify(provider.options),
  enabled: provider.enabled,
  createdAtMs: String(provider.createdAtMs),
  credentials: provider.credentials.map(({ secret: _, createdAtMs, limits, ...credential }) => ({
    ...credential,
    limits: toProtoLimits(limits),
    createdAtMs: String(createdAtMs),
  })),
});

const toProtoLimits = ({ costPerDayNano, ...counts }: CredentialLimits): CredentialLimitsProto => ({
  ...counts,
  ...(costPerDayNano !== undefined && { costPerDayNano: costPerDayNano.toString() }),
});

export const toProtoSecret = (secret: StoredSecret): StoredSecretProto =>
  'sealed' in secret ? { sealed: secret.sealed } : { reference: secret.reference };
