import type { AccountSettings, SettingsChange } from '../../../src/api/accounts';
import { apiGet, apiPost } from './client';

export type * from '../../../src/api/accounts';

export const getSettings = () => apiGet<AccountSettings>('account/settings');
export const updateSettings = (change: SettingsChange) =>
  apiPost<AccountSettings>('account/settings', change);
