import { apiGet, apiPost } from './client';

/** What the account's keys follow, unless they have their own setting. */
export interface AccountSettings {
  readonly bare_model_names: boolean;
}

export const getSettings = () => apiGet<AccountSettings>('account/settings');
export const updateSettings = (change: Partial<AccountSettings>) =>
  apiPost<AccountSettings>('account/settings', change);
