import { apiGet, apiPost } from './client';

/** Defaults for the account's keys. */
export interface AccountSettings {
  readonly bare_model_names: boolean;
}

export const getSettings = () => apiGet<AccountSettings>('account/settings');
export const updateSettings = (change: Partial<AccountSettings>) =>
  apiPost<AccountSettings>('account/settings', change);
