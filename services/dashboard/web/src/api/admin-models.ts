import type { ListedPricing } from '@gateway/pricing';
import { apiGet, apiPost, type Page } from './client';
import { type Model, modelPath } from './models';

export interface ModelTarget {
  readonly provider: string;
  readonly upstream_model: string;
  readonly weight: number;
  /** Lower priority is tried first. */
  readonly priority: number;
  /** Milliseconds; 0: the service's default. */
  readonly connect_timeout_ms: number;
  readonly first_byte_timeout_ms: number;
  readonly idle_timeout_ms: number;
  /** What the provider charges; null: not known. */
  readonly cost: ListedPricing['tokens'] | null;
}

/** How calls are spread over targets of one priority. */
export type Strategy = 'weighted' | 'priority' | 'least-busy' | 'lowest-latency' | 'lowest-price';

/** A model with the fields that only operators see. */
export interface AdminModel extends Model {
  readonly output_floor_tokens: number;
  /** 0: not known. */
  readonly max_image_tokens: number;
  readonly targets: readonly ModelTarget[];
  readonly strategy: Strategy;
  /** Slugs of the models that are tried, in this order, when every target has failed. */
  readonly fallback_models: readonly string[];
}

export type TargetInput = Partial<ModelTarget> & {
  readonly provider: string;
  readonly upstream_model: string;
};
export type PricesInput = Partial<
  Pick<ListedPricing, 'tokens' | 'image' | 'video' | 'audio' | 'source' | 'source_date'>
>;
export type ModelChange = Partial<
  Omit<AdminModel, 'slug' | 'status' | 'pricing' | 'created_at' | 'targets'> & {
    readonly targets: readonly TargetInput[];
  }
>;
export type ModelInput = ModelChange & {
  readonly slug: string;
  readonly name: string;
  readonly status?: 'active' | 'disabled';
  readonly pricing: PricesInput;
};

const pathOf = (slug: string) => `admin/models/${modelPath(slug)}`;

/** Includes delisted models. */
export const listAdminModels = (cursor?: string, limit?: number) =>
  apiGet<Page<AdminModel>>('admin/models', { cursor, limit });
export const getAdminModel = (slug: string) => apiGet<AdminModel>(pathOf(slug));
export const createModel = (input: ModelInput) => apiPost<AdminModel>('admin/models', input);
export const updateModel = (slug: string, change: ModelChange) =>
  apiPost<AdminModel>(`${pathOf(slug)}/update`, change);
export const setModelStatus = (slug: string, status: 'active' | 'disabled') =>
  apiPost<AdminModel>(`${pathOf(slug)}/status`, { status });
export const delistModel = (slug: string, successor: string | null) =>
  apiPost<AdminModel>(`${pathOf(slug)}/delist`, { successor });
/** Refused if the prices have a newer version than `if_version`. */
export const setPrices = (slug: string, prices: PricesInput, if_version?: number) =>
  apiPost<AdminModel>(`${pathOf(slug)}/prices`, { ...prices, if_version });
