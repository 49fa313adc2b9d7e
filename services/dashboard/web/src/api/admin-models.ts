import type {
  AdminModel,
  DelistInput,
  ModelChange,
  ModelInput,
  ModelStatusChange,
} from '../../../src/api/catalog-models';
import type { PricesChange, PricesInput } from '../../../src/api/prices';
import { apiGet, apiPost, type Page } from './client';
import { modelPath } from './models';

export type * from '../../../src/api/catalog-models';
export type * from '../../../src/api/prices';

const pathOf = (slug: string) => `admin/models/${modelPath(slug)}`;

/** Includes delisted models. */
export const listAdminModels = (cursor?: string, limit?: number) =>
  apiGet<Page<AdminModel>>('admin/models', { cursor, limit });
export const getAdminModel = (slug: string) => apiGet<AdminModel>(pathOf(slug));
export const createModel = (input: ModelInput) => apiPost<AdminModel>('admin/models', input);
export const updateModel = (slug: string, change: ModelChange) =>
  apiPost<AdminModel>(`${pathOf(slug)}/update`, change);
export const setModelStatus = (slug: string, status: ModelStatusChange['status']) =>
  apiPost<AdminModel>(`${pathOf(slug)}/status`, { status } satisfies ModelStatusChange);
export const delistModel = (slug: string, successor: string | null) =>
  apiPost<AdminModel>(`${pathOf(slug)}/delist`, { successor } satisfies DelistInput);
/** Refused if the prices have a newer version than `if_version`. */
export const setPrices = (slug: string, prices: PricesInput, if_version?: number) =>
  apiPost<AdminModel>(`${pathOf(slug)}/prices`, { ...prices, if_version } satisfies PricesChange);
