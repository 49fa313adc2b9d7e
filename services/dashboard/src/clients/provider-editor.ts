import { GatewayError } from '@gateway/errors';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type {
  CredentialLimits__Output,
  CredentialLimits as CredentialLimitsProto,
} from '@gateway/proto/generated/gateway/catalog/v1/CredentialLimits';
import type { NewCredential } from '@gateway/proto/generated/gateway/catalog/v1/NewCredential';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import { callUnary } from '@gateway/rpc';
import type {
  ConfiguredCredential,
  ConfiguredProvider,
  CredentialChanges,
  CredentialDraft,
  CredentialLimits,
  DailyCosts,
  ProviderSettings,
} from '../domain/configured-provider';
import type { Caller } from './billing';

const TIMEOUT_MS = 5_000;
const COSTS_TIMEOUT_MS = 2_000;

/** Reads and changes the providers of the catalog, which validates each change and throws typed errors. */
export class ProviderEditor {
  readonly #client: CatalogServiceClient;

  constructor(client: CatalogServiceClient) {
    this.#client = client;
  }

  async list(caller: Caller): Promise<ConfiguredProvider[]> {
    const { providers } = await callUnary(this.#client, this.#client.ListProviders, {}, settingsOf(caller));
    return providers.map(fromProtoProvider);
  }

  /** Returns undefined if catalog does not know: providers are shown without their costs. */
  async costsToday(caller: Caller): Promise<DailyCosts | undefined> {
    const settings = { ...settingsOf(caller), timeoutMs: COSTS_TIMEOUT_MS };
    try {
      const { day, costs } = await callUnary(this.#client, this.#client.ListCredentialCosts, {}, settings);
      return {
        day,
        costsNano: new Map(costs.map(({ credentialId, costNano }) => [credentialId, BigInt(costNano)])),
      };
    } catch {
      return undefined;
    }
  }

  /** @throws GatewayError `not_found` */
  async get(caller: Caller, id: string): Promise<ConfiguredProvider> {
    const found = (await this.list(caller)).find((provider) => provider.id === id);
    if (!found) throw new GatewayError('not_found');
    return found;
  }

  async create(
    caller: Caller,
    { options, ...provider }: ProviderSettings & { readonly id: string; readonly kind: string },
    credentials: readonly CredentialDraft[],
  ): Promise<ConfiguredProvider> {
    const request = {
      ...provider,
      optionsJson: JSON.stringify(options),
      credentials: credentials.map(toProtoCredential),
    };
    return fromProtoProvider(
      await callUnary(this.#client, this.#client.CreateProvider, request, settingsOf(caller)),
    );
  }

  /** Omitted fields stay unchanged. */
  async update(
    caller: Caller,
    id: string,
    changes: Partial<ProviderSettings & { readonly enabled: boolean }>,
  ): Promise<ConfiguredProvider> {
    // Catalog replaces whole entries.
    const { name, baseUrl, headers, options, enabled } = { ...(await this.get(caller, id)), ...changes };
    const request = { id, name, baseUrl, headers, enabled, optionsJson: JSON.stringify(options) };
    return fromProtoProvider(
      await callUnary(this.#client, this.#client.UpdateProvider, request, settingsOf(caller)),
    );
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await callUnary(this.#client, this.#client.DeleteProvider, { id }, settingsOf(caller));
  }

  async addCredential(
    caller: Caller,
    providerId: string,
    draft: CredentialDraft,
  ): Promise<ConfiguredCredential> {
    const request = { providerId, credential: toProtoCredential(draft) };
    const provider = await callUnary(
      this.#client,
      this.#client.CreateCredential,
      request,
      settingsOf(caller),
    );
    return credentialOf(provider, ({ name }) => name === draft.name);
  }

  async updateCredential(
    caller: Caller,
    providerId: string,
    credentialId: string,
    changes: CredentialChanges,
  ): Promise<ConfiguredCredential> {
    const { limits, ...rest } = changes;
    const request = { providerId, credentialId, ...rest, ...(limits && { limits: toProtoLimits(limits) }) };
    const provider = await callUnary(
      this.#client,
      this.#client.UpdateCredential,
      request,
      settingsOf(caller),
    );
    return credentialOf(provider, ({ id }) => id === credentialId);
  }

  async removeCredential(caller: Caller, providerId: string, credentialId: string): Promise<void> {
    const request = { providerId, credentialId };
    await callUnary(this.#client, this.#client.DeleteCredential, request, settingsOf(caller));
  }
}

const settingsOf = ({ requestId, signal }: Caller) => ({ timeoutMs: TIMEOUT_MS, requestId, signal });

const toProtoCredential = ({ name, secret, weight, limits }: CredentialDraft): NewCredential => ({
  name,
  secret,
  limits: toProtoLimits(limits),
  ...(weight !== undefined && { weight }),
});

const fromProtoProvider = ({
  optionsJson,
  createdAtMs,
  ...provider
}: Provider__Output): ConfiguredProvider => ({
  ...provider,
  options: JSON.parse(optionsJson || '{}'),
  createdAtMs: Number(createdAtMs),
  credentials: provider.credentials.map((credential) => ({
    ...credential,
    limits: fromProtoLimits(credential.limits),
    createdAtMs: Number(credential.createdAtMs),
  })),
});

const toProtoLimits = ({ costPerDayNano, ...counts }: CredentialLimits): CredentialLimitsProto => ({
  ...counts,
  ...(costPerDayNano !== undefined && { costPerDayNano: costPerDayNano.toString() }),
});

/** Returns the limits without those that are 0. */
function fromProtoLimits(limits: CredentialLimits__Output | null): CredentialLimits {
  const { costPerDayNano = '0', ...counts } = limits ?? {};
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, limit]) => limit)),
    ...(costPerDayNano !== '0' && { costPerDayNano: BigInt(costPerDayNano) }),
  };
}

function credentialOf(
  provider: Provider__Output,
  isWanted: (credential: ConfiguredCredential) => boolean,
): ConfiguredCredential {
  const found = fromProtoProvider(provider).credentials.find(isWanted);
  if (!found) throw new Error('catalog returned a provider without the credential');
  return found;
}
