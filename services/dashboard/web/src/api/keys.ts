import type { ApiKey, KeyChange, KeyInput, KeyUse, NewApiKey, RotateInput } from '../../../src/api/keys';
import { apiGet, apiPost, type Page } from './client';

export type * from '../../../src/api/keys';

const pathOf = (id: string) => `keys/${encodeURIComponent(id)}`;

export const listKeys = (cursor?: string, limit?: number) => apiGet<Page<ApiKey>>('keys', { cursor, limit });
export const getKey = (id: string) => apiGet<ApiKey>(pathOf(id));
export const getKeyUse = (id: string) => apiGet<KeyUse>(`${pathOf(id)}/use`);
export const createKey = (input: KeyInput) => apiPost<NewApiKey>('keys', input);
/** Omitted fields stay unchanged; null removes a limit. */
export const updateKey = (id: string, change: KeyChange) => apiPost<ApiKey>(`${pathOf(id)}/update`, change);
export const rotateKey = (id: string, graceSeconds: number) =>
  apiPost<NewApiKey>(`${pathOf(id)}/rotate`, { grace_seconds: graceSeconds } satisfies RotateInput);
export const regenerateKey = (id: string) => apiPost<NewApiKey>(`${pathOf(id)}/regenerate`);
export const enableKey = (id: string) => apiPost<ApiKey>(`${pathOf(id)}/enable`);
export const disableKey = (id: string) => apiPost<ApiKey>(`${pathOf(id)}/disable`);
export const deleteKey = (id: string) => apiPost<ApiKey>(`${pathOf(id)}/delete`);
