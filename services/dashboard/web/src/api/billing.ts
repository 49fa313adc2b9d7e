import type { AccountUse, Balance, LedgerEntry, Limits, LimitsChange, Topup } from '../../../src/api/billing';
import { apiGet, apiPost, type Page } from './client';

export type * from '../../../src/api/billing';

export const getBalance = () => apiGet<Balance>('billing/balance');
export const getLimits = () => apiGet<Limits>('billing/limits');
export const getAccountUse = () => apiGet<AccountUse>('billing/use');
export const updateLimits = (change: LimitsChange) => apiPost<Limits>('billing/limits', change);
export const listTopups = (cursor?: string, limit?: number) =>
  apiGet<Page<Topup>>('billing/topups', { cursor, limit });
export const listLedger = (cursor?: string, limit?: number) =>
  apiGet<Page<LedgerEntry>>('billing/ledger', { cursor, limit });
