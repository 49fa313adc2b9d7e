import { apiGet, apiPost, type Page } from './client';

/** Null: no limit. */
export interface KeyLimits {
  readonly expires_at: string | null;
  /** Slugs, patterns (`openai/*`) and types (`type:chat`); empty: all models. */
  readonly allowed_models: readonly string[];
  readonly daily_limit: number | null;
  readonly monthly_limit: number | null;
  readonly request_cost_limit: number | null;
  readonly rpm_limit: number | null;
  readonly tpm_limit: number | null;
  /** Whether requests may name models without a provider; null: the account's setting. */
  readonly bare_model_names: boolean | null;
  /** Whether fallback models may answer. */
  readonly fallback_models: boolean;
  /** What happens to requests with built-in tools that the model can't have. */
  readonly unsupported_tools: 'refuse' | 'drop';
  /** Error messages include the detail. */
  readonly detailed_messages: boolean;
  /** Null: everything. */
  readonly scopes: readonly string[] | null;
  /** Null: every address. */
  readonly allowed_ips: readonly string[] | null;
}

export interface ApiKey extends KeyLimits {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** The last characters of the value. */
  readonly hint: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Why the key was revoked, for example where its value leaked. */
  readonly revoke_reason: string | null;
  /** Fields that an owner has limited; members can't change them. */
  readonly owner_limits: readonly string[];
  /** Users who have seen a value that may still be valid. */
  readonly holder_ids: readonly string[];
}

/** The value is shown once. */
export interface NewApiKey extends ApiKey {
  readonly key: string;
}

export type KeyInput = Partial<KeyLimits> & { readonly name: string };

interface SpendWindow {
  /** Settled charges, and reservations for in-flight requests. */
  readonly used: number;
  readonly resets_at: string;
}

/** Usage that counts against a key's limits now. */
export interface KeyUse {
  readonly day: SpendWindow;
  readonly month: SpendWindow;
  /** All keys of the account together. */
  readonly account_day: SpendWindow;
  /** The last minute; null: the key has no rate limit. */
  readonly minute: { readonly requests: number; readonly tokens: number } | null;
}

const pathOf = (id: string) => `keys/${encodeURIComponent(id)}`;

export const listKeys = (cursor?: string, limit?: number) => apiGet<Page<ApiKey>>('keys', { cursor, limit });
export const getKey = (id: string) => apiGet<ApiKey>(pathOf(id));
export const getKeyUse = (id: string) => apiGet<KeyUse>(`${pathOf(id)}/use`);
export const createKey = (input: KeyInput) => apiPost<NewApiKey>('keys', input);
/** Omitted fields stay unchanged; null removes a limit. */
export const updateKey = (id: string, change: Partial<KeyInput>) =>
  apiPost<ApiKey>(`${pathOf(id)}/update`, change);
export const rotateKey = (id: string, graceSeconds: number) =>
  apiPost<NewApiKey>(`${pathOf(id)}/rotate`, { grace_seconds: graceSeconds });
export const regenerateKey = (id: string) => apiPost<NewApiKey>(`${pathOf(id)}/regenerate`);
export const enableKey = (id: string) => apiPost<ApiKey>(`${pathOf(id)}/enable`);
export const disableKey = (id: string) => apiPost<ApiKey>(`${pathOf(id)}/disable`);
export const deleteKey = (id: string) => apiPost<ApiKey>(`${pathOf(id)}/delete`);
