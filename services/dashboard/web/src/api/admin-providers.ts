import type {
  Credential,
  CredentialChange,
  CredentialInput,
  EndpointModels,
  EndpointModelsQuery,
  ImportedModel,
  ImportInput,
  ImportResult,
  ProbeResult,
  ProbeSubject,
  Provider,
  ProviderChange,
  ProviderInput,
  ProviderList,
  ProviderPresets,
} from '../../../src/api/providers';
import { apiGet, apiPost } from './client';

export type * from '../../../src/api/providers';

const pathOf = (id: string) => `admin/providers/${encodeURIComponent(id)}`;

export const getProviderPresets = () => apiGet<ProviderPresets>('admin/provider-presets');
export const getProviders = () => apiGet<ProviderList>('admin/providers');
export const getProvider = (id: string) => apiGet<Provider>(pathOf(id));
export const createProvider = (input: ProviderInput) => apiPost<Provider>('admin/providers', input);
export const updateProvider = (id: string, change: ProviderChange) =>
  apiPost<Provider>(`${pathOf(id)}/update`, change);
export const deleteProvider = (id: string) => apiPost(`${pathOf(id)}/delete`);
export const addCredential = (id: string, credential: CredentialInput) =>
  apiPost<Credential>(`${pathOf(id)}/credentials`, credential);
export const updateCredential = (id: string, credentialId: string, change: CredentialChange) =>
  apiPost<Credential>(`${pathOf(id)}/credentials/${encodeURIComponent(credentialId)}/update`, change);
export const deleteCredential = (id: string, credentialId: string) =>
  apiPost(`${pathOf(id)}/credentials/${encodeURIComponent(credentialId)}/delete`);
/** The endpoint may be slow: longer than chat waits for it. */
const PROBE_TIMEOUT_MS = 35_000;
export const testProvider = (id: string, of: ProbeSubject = {}) =>
  apiPost<ProbeResult>(`${pathOf(id)}/test`, of, { timeoutMs: PROBE_TIMEOUT_MS });
export const listEndpointModels = (id: string, of: EndpointModelsQuery, signal?: AbortSignal) =>
  apiGet<EndpointModels>(`${pathOf(id)}/models`, of, { signal, timeoutMs: PROBE_TIMEOUT_MS });
export const importModels = (id: string, models: readonly ImportedModel[]) =>
  apiPost<ImportResult>(`${pathOf(id)}/models/import`, { models } satisfies ImportInput);
