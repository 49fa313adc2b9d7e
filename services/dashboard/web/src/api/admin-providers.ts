import type { ListedPricing } from '@gateway/pricing';
import type { PricesInput } from './admin-models';
import { apiGet, apiPost, type Page } from './client';

export type CircuitState = 'closed' | 'cooling' | 'suspect' | 'open' | 'half-open';

/** As reported by the instances of chat and media for the last minutes. */
export interface Health {
  /** The worst state that an instance reports; null if no reachable instance calls it. */
  readonly circuit: CircuitState | null;
  /** Number of instances by state. */
  readonly circuits: Readonly<Partial<Record<CircuitState, number>>>;
  readonly calls: number;
  readonly errors: number;
  /** Time to a chat reply's first byte, otherwise to the end; null if no recent call has a latency. */
  readonly latency: { readonly mean_ms: number; readonly max_ms: number } | null;
  readonly last_failure: {
    readonly code: string;
    readonly status: number | null;
    readonly at: string;
  } | null;
}

/** An upstream model of a provider, in the service that calls it. */
export interface TargetHealth extends Health {
  readonly upstream_model: string;
  readonly service: 'chat' | 'media';
  /** Models that call it, by slug. */
  readonly models: readonly string[];
}

/** Of each instance of chat, except for the cost; null: none. */
export interface CredentialLimits {
  readonly rpm_limit: number | null;
  readonly tpm_limit: number | null;
  readonly concurrency_limit: number | null;
  /** USD that the provider charges on a UTC day for the calls of all instances. */
  readonly daily_cost_limit: number | null;
}

export interface Credential extends CredentialLimits {
  readonly id: string;
  readonly name: string;
  /** What is shown of the secret; null: it is in the environment. */
  readonly hint: string | null;
  readonly weight: number;
  readonly enabled: boolean;
  readonly created_at: string | null;
}

export interface CredentialCost {
  /** USD; null: not known. */
  readonly cost_today: number | null;
  /** When a credential at its daily limit is used again; null: it is not at the limit. */
  readonly limited_until: string | null;
}

export interface CredentialRates {
  /** When all targets that have answered 429 are called again; null: none is cooling. */
  readonly cooling_until: string | null;
  /** As the last reply to an instance of chat named them; null: it named none. */
  readonly rate_limits: {
    readonly upstream_model: string;
    readonly at: string;
    readonly limits: readonly RateLimit[];
  } | null;
}

export interface RateLimit {
  /** By the provider's name, such as `requests` and `tokens`. */
  readonly name: string;
  readonly remaining: number;
  readonly limit: number | null;
  readonly resets_at: string | null;
}

export type CredentialHealth = Credential & CredentialCost & CredentialRates & Health;

export interface Provider {
  readonly id: string;
  /** Null: not configured, but a model names it. */
  readonly source: 'catalog' | 'environment' | null;
  /** Null unless it is of the catalog; so are the name and the base URL. */
  readonly kind: string | null;
  readonly name: string | null;
  readonly base_url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
  readonly created_at: string | null;
  readonly credentials: readonly CredentialHealth[];
  /** `nobody`: no instance has it. Null: the instances that know do not answer. */
  readonly served_by: 'credentials' | 'simulator' | 'nobody' | null;
  readonly targets: readonly TargetHealth[];
}

export interface ProviderList {
  readonly data: readonly Provider[];
  readonly services: readonly {
    readonly service: 'chat' | 'media';
    readonly address: string;
    readonly status: 'up' | 'away';
  }[];
  /** The period that calls, errors and latencies cover. */
  readonly window_seconds: number;
}

/** A known endpoint. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** May contain placeholders, such as `{account}`. */
  readonly base_url: string;
  readonly api_key: 'required' | 'optional' | 'none';
  readonly docs: string | null;
  /** `options` of a provider with this preset. */
  readonly options: Readonly<Record<string, string>>;
}

export interface ProviderKind {
  readonly kind: string;
  /** Of providers without a base URL; null: it is required. */
  readonly base_url: string | null;
  /** Names of its options other than `preset`. */
  readonly options: readonly string[];
}

export interface ProviderPresets {
  readonly data: readonly Preset[];
  readonly kinds: readonly ProviderKind[];
}

type Secret = { readonly secret: string } | { readonly secret_ref: string };
export type CredentialInput = Secret &
  Partial<CredentialLimits> & { readonly name: string; readonly weight?: number };
export type CredentialChange = Partial<
  Pick<Credential, 'name' | 'weight' | 'enabled' | keyof CredentialLimits> & {
    readonly secret: string;
    readonly secret_ref: string;
  }
>;
export type ProviderChange = Partial<
  Pick<Provider, 'headers' | 'options' | 'enabled'> & { readonly name: string; readonly base_url: string }
>;
export interface ProviderInput {
  readonly id: string;
  readonly kind: string;
  readonly name?: string;
  readonly base_url?: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly credentials: readonly CredentialInput[];
}

/** Absent: the first usable credential lists the models. */
export interface ProbeSubject {
  readonly credential_id?: string;
  readonly model?: string;
}

/** Of a real call to the endpoint. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly credential: { readonly id: string; readonly name: string };
  readonly latency_ms: number;
  /** Number of models that the endpoint lists; null if a model was called. */
  readonly models: number | null;
  /** Status null: there was no reply. */
  readonly failure: { readonly status: number | null; readonly message: string } | null;
}

export type ListedPrices = Pick<ListedPricing, 'source' | 'source_date' | 'tokens'>;

/** A model that the endpoint of a provider lists. */
export interface EndpointModel {
  readonly upstream_model: string;
  readonly name: string | null;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly context_length: number | null;
  readonly max_output_tokens: number | null;
  readonly capabilities: readonly string[];
  /** Cost and markup; null: the price list lacks the model. */
  readonly pricing: ListedPrices | null;
  readonly cost: ListedPrices | null;
  /** What the list prices and the gateway can't bill. */
  readonly unpriced: readonly string[];
  /** Why the price list has no price for it that can be used. */
  readonly price_problem: string | null;
  readonly suggested_slug: string;
  /** Models of the catalog that call it. */
  readonly slugs: readonly string[];
}

export interface EndpointModels extends Page<EndpointModel> {
  readonly price_list: {
    readonly source: string | null;
    readonly source_date: string | null;
    /** Why there is no price list. */
    readonly problem: string | null;
  };
}

export interface ImportedModel {
  readonly upstream_model: string;
  readonly slug: string;
  readonly name?: string;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly context_length?: number;
  readonly max_output_tokens?: number;
  readonly capabilities: readonly string[];
  /** What the provider charges. */
  readonly cost?: ListedPrices['tokens'];
  /** Required unless the catalog has the slug. */
  readonly pricing?: PricesInput;
}

export interface ImportOutcome {
  readonly upstream_model: string;
  readonly slug: string;
  /** `target_added`: the model existed, and the provider serves it too now. */
  readonly outcome: 'created' | 'target_added' | 'unchanged' | 'refused';
  /** Why it was refused. */
  readonly detail?: string;
}

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
export const listEndpointModels = (
  id: string,
  of: { readonly markup_percent: string; readonly list_provider: string },
  signal?: AbortSignal,
) => apiGet<EndpointModels>(`${pathOf(id)}/models`, of, { signal, timeoutMs: PROBE_TIMEOUT_MS });
export const importModels = (id: string, models: readonly ImportedModel[]) =>
  apiPost<{ readonly data: readonly ImportOutcome[] }>(`${pathOf(id)}/models/import`, { models });
