import { randomUUID } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { CreateCredentialRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/CreateCredentialRequest';
import type { CreateProviderRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/CreateProviderRequest';
import type { CredentialLimits__Output } from '@gateway/proto/generated/gateway/catalog/v1/CredentialLimits';
import type { DeleteCredentialRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/DeleteCredentialRequest';
import type { DeleteProviderRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/DeleteProviderRequest';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/catalog/v1/ListProvidersResponse';
import type { NewCredential__Output } from '@gateway/proto/generated/gateway/catalog/v1/NewCredential';
import type { Provider as ProviderProto } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { Secret__Output } from '@gateway/proto/generated/gateway/catalog/v1/Secret';
import type { UpdateCredentialRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/UpdateCredentialRequest';
import type { UpdateProviderRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/UpdateProviderRequest';
import type { RequestContext } from '@gateway/rpc';
import { type KeyEncryptionKeys, sealSecret } from '@gateway/secrets';
import {
  type AddressRules,
  type Credential,
  type CredentialLimits,
  checkLimits,
  checkName,
  checkProvider,
  checkSecret,
  checkWeight,
  hintOf,
  invalid,
  MAX_CREDENTIALS,
  MAX_PROVIDERS,
  MAX_SEALED_BYTES,
  type Provider,
  parseOptions,
  type StoredSecret,
  UUID,
} from '../domain/provider';
import type { Providers } from '../domain/providers';
import type { ProviderEdit } from '../store/providers';
import { toProtoProvider } from './to-proto-provider';

/** Runs a change in one transaction; when it returns, the change is in this instance's memory. */
export type EditProviders = <T>(work: (edit: ProviderEdit) => Promise<T>) => Promise<T>;

export interface EditProvidersDeps {
  readonly edit: EditProviders;
  /** Absent: only references to secrets are accepted. */
  readonly keys: KeyEncryptionKeys | undefined;
  readonly addresses: AddressRules;
}

export const listProviders = (providers: Providers) => async (): Promise<ListProvidersResponse> => ({
  providers: providers.all.map(toProtoProvider),
});

export const createProvider =
  ({ edit, keys, addresses }: EditProvidersDeps) =>
  async (_context: RequestContext, request: CreateProviderRequest__Output): Promise<ProviderProto> => {
    const { id, kind, name, baseUrl, headers } = request;
    const options = parseOptions(request.optionsJson);
    const entry = checkProvider(
      { id, kind, name: name || id, baseUrl, headers, options, enabled: true },
      addresses,
    );
    const credentials = request.credentials.map((credential, at) =>
      newCredential(`credentials[${at}]`, credential, keys),
    );
    if (credentials.length > MAX_CREDENTIALS) throw invalid(`credentials: at most ${MAX_CREDENTIALS}`);
    return edit(async (providers) => {
      if (await providers.find(id)) throw invalid(`id: ${id} already exists`);
      if ((await providers.count()) >= MAX_PROVIDERS)
        throw invalid(`there can be at most ${MAX_PROVIDERS} providers`);
      await providers.insert(entry);
      const names = new Set<string>();
      for (const [at, credential] of credentials.entries()) {
        if (names.has(credential.name)) throw invalid(`credentials[${at}].name: is used twice`);
        names.add(credential.name);
        await providers.insertCredential(id, credential);
      }
      await checkSealedBytes(providers);
      return found(providers, id);
    });
  };

export const updateProvider =
  ({ edit, addresses }: EditProvidersDeps) =>
  async (_context: RequestContext, request: UpdateProviderRequest__Output): Promise<ProviderProto> =>
    edit(async (providers) => {
      const { kind } = await existing(providers, request.id);
      const options = parseOptions(request.optionsJson);
      const entry = { ...request, kind, name: request.name || request.id, options };
      await providers.update(checkProvider(entry, addresses));
      return found(providers, request.id);
    });

export const deleteProvider =
  ({ edit }: EditProvidersDeps) =>
  async (_context: RequestContext, { id }: DeleteProviderRequest__Output): Promise<object> =>
    edit(async (providers) => {
      if (isId(id)) await providers.remove(id);
      return {};
    });

export const createCredential =
  ({ edit, keys }: EditProvidersDeps) =>
  async (
    _context: RequestContext,
    { providerId, credential }: CreateCredentialRequest__Output,
  ): Promise<ProviderProto> => {
    const added = newCredential('credential', credential, keys);
    return edit(async (providers) => {
      const provider = await existing(providers, providerId);
      if (provider.credentials.length >= MAX_CREDENTIALS) {
        throw invalid(`a provider can have at most ${MAX_CREDENTIALS} credentials`);
      }
      checkNameIsFree(provider, added);
      await providers.insertCredential(providerId, added);
      await checkSealedBytes(providers);
      return found(providers, providerId);
    });
  };

export const updateCredential =
  ({ edit, keys }: EditProvidersDeps) =>
  async (_context: RequestContext, request: UpdateCredentialRequest__Output): Promise<ProviderProto> =>
    edit(async (providers) => {
      const provider = await existing(providers, request.providerId);
      const current = provider.credentials.find(({ id }) => id === request.credentialId);
      if (!current) throw new GatewayError('not_found');
      const changed = {
        ...current,
        name: request.name ?? current.name,
        weight: request.weight ?? current.weight,
        enabled: request.enabled ?? current.enabled,
        limits: checkLimits('limits', { ...current.limits, ...givenLimits(request.limits) }),
        ...(request.secret && storedSecret('credential', current.id, request.secret, keys)),
      };
      checkName('name', changed.name);
      checkWeight('weight', changed.weight);
      checkNameIsFree(provider, changed);
      await providers.updateCredential(changed);
      await checkSealedBytes(providers);
      return found(providers, request.providerId);
    });

export const deleteCredential =
  ({ edit }: EditProvidersDeps) =>
  async (
    _context: RequestContext,
    { providerId, credentialId }: DeleteCredentialRequest__Output,
  ): Promise<object> =>
    edit(async (providers) => {
      if (isId(providerId) && UUID.test(credentialId)) {
        await providers.removeCredential(providerId, credentialId);
      }
      return {};
    });

/** PostgreSQL does not accept NUL in text. */
const isId = (id: string): boolean => !id.includes('\0') && id.length <= 63;

function newCredential(
  field: string,
  credential: NewCredential__Output | null,
  keys: KeyEncryptionKeys | undefined,
): Omit<Credential, 'createdAtMs'> {
  if (!credential) throw invalid(`${field}: is required`);
  const { name, secret, weight = 1 } = credential;
  checkName(`${field}.name`, name);
  checkWeight(`${field}.weight`, weight);
  const id = randomUUID();
  const limits = checkLimits(`${field}.limits`, givenLimits(credential.limits));
  return { id, name, weight, enabled: true, limits, ...storedSecret(field, id, secret, keys) };
}

function givenLimits(limits: CredentialLimits__Output | null): CredentialLimits {
  const { costPerDayNano, ...counts } = limits ?? {};
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, limit]) => limit !== undefined)),
    ...(costPerDayNano !== undefined && { costPerDayNano: BigInt(costPerDayNano) }),
  };
}

function storedSecret(
  field: string,
  id: string,
  given: Secret__Output | null,
  keys: KeyEncryptionKeys | undefined,
): { readonly secret: StoredSecret; readonly hint: string } {
  const secret = checkSecret(field, { value: given?.value ?? '', reference: given?.reference ?? '' });
  const hint = hintOf(secret);
  if ('reference' in secret) return { secret, hint };
  if (!keys) throw invalid(`${field}: secrets can't be stored without CREDENTIALS_KEY; use secret_ref`);
  return { secret: { sealed: sealSecret(keys, secret.value, id) }, hint };
}

async function checkSealedBytes(providers: ProviderEdit): Promise<void> {
  if ((await providers.sealedBytes()) <= MAX_SEALED_BYTES) return;
  throw invalid('the secrets of all providers are too large together: use secret_ref');
}

function checkNameIsFree(provider: Provider, { id, name }: Pick<Credential, 'id' | 'name'>): void {
  if (provider.credentials.some((other) => other.id !== id && other.name === name)) {
    throw invalid(`name: ${name} is already used by another credential of this provider`);
  }
}

async function existing(providers: ProviderEdit, id: string): Promise<Provider> {
  const provider = isId(id) ? await providers.find(id) : undefined;
  if (!provider) throw new GatewayError('not_found');
  return provider;
}

async function found(providers: ProviderEdit, id: string): Promise<ProviderProto> {
  return toProtoProvider(await existing(providers, id));
}
