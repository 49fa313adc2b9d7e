import { apiGet, apiPost, type Page } from './client';

export interface Balance {
  readonly account_id: string;
  /** Includes reserved funds. */
  readonly balance: number;
  readonly held: number;
  readonly available: number;
  readonly currency: 'USD';
}

export interface Limits {
  readonly daily_limit: number | null;
  readonly when_short: 'lower' | 'refuse';
}

export interface Topup {
  readonly id: string;
  readonly account_id: string;
  readonly amount: number;
  readonly status: 'pending' | 'cleared' | 'voided';
  readonly created_at: string;
  readonly cleared_at: string | null;
  readonly voided_at: string | null;
  /** Reference of the payment, entered by an operator. */
  readonly reference: string | null;
}

export interface LedgerEntry {
  readonly id: string;
  readonly kind: string;
  /** Negative for a deduction. */
  readonly amount: number;
  readonly reference: string;
  /** The reason of an adjustment, or the reference of a top-up's payment. */
  readonly note: string | null;
  /** The video task that a charge belongs to. */
  readonly task_id: string | null;
  readonly created_at: string;
}

/** Spending that counts against the account's daily limit now. */
export interface AccountUse {
  readonly day: {
    /** Settled charges, and reservations for in-flight requests. */
    readonly used: number;
    readonly resets_at: string;
  };
}

export const getBalance = () => apiGet<Balance>('billing/balance');
export const getLimits = () => apiGet<Limits>('billing/limits');
export const getAccountUse = () => apiGet<AccountUse>('billing/use');
export const updateLimits = (change: Partial<Limits>) => apiPost<Limits>('billing/limits', change);
export const listTopups = (cursor?: string, limit?: number) =>
  apiGet<Page<Topup>>('billing/topups', { cursor, limit });
export const listLedger = (cursor?: string, limit?: number) =>
  apiGet<Page<LedgerEntry>>('billing/ledger', { cursor, limit });
