import { z } from 'zod';
import {
  cellQuery,
  id,
  type Json,
  type JsonBody,
  label,
  pageQuery,
  signedUsdAmount,
  time,
  usd,
  usdAmount,
} from './fields';
import { spendWindow } from './keys';

export const balanceResponse = z
  .object({
    account_id: id,
    balance: usd,
    held: usd.meta({ description: 'Part of the balance reserved for in-flight requests' }),
    available: usd,
    currency: z.literal('USD'),
  })
  .meta({ id: 'Balance' });
export const limits = { daily_limit: usd.nullable(), when_short: z.enum(['lower', 'refuse']) };
export const limitsResponse = z.object(limits).meta({ id: 'Limits' });
export const topupResponse = z
  .object({
    id,
    account_id: id,
    amount: usd,
    status: z.enum(['pending', 'cleared', 'voided']),
    created_at: time,
    cleared_at: time.nullable(),
    voided_at: time.nullable(),
    reference: z.string().nullable().meta({ description: 'Reference of the payment' }),
  })
  .meta({ id: 'Topup' });
const entry = {
  id,
  kind: z.enum(['charge', 'topup', 'adjustment']),
  amount: usd.meta({ description: 'USD; charges are negative' }),
  reference: z.string().meta({ description: 'The call, top-up or adjustment that caused it' }),
  note: z
    .string()
    .nullable()
    .meta({ description: 'The reason of an adjustment, or the payment reference of a top-up' }),
  task_id: z.string().nullable().meta({ description: 'The video task of a charge' }),
  created_at: time,
};
export const ledgerEntryResponse = z.object(entry).meta({ id: 'LedgerEntry' });
export const adjustmentResponse = z.object({ ...entry, account_id: id });

export const operatorLossResponse = z
  .object({
    request_id: id,
    reason: z
      .enum(['abandoned', 'usage_unknown', 'owner_killed', 'over_hold', 'lost', 'expired', 'late_final'])
      .meta({ description: 'Why the cost was not charged' }),
    amount: usd.meta({ description: 'Negative amounts correct an earlier loss' }),
    created_at: time,
  })
  .meta({ id: 'OperatorLoss' });
export const abandonedCostResponse = z
  .object({
    last_hour: usd.meta({ description: 'Cost of calls abandoned in the last hour' }),
    limit: usd.meta({ description: 'Above this amount new calls are refused' }),
    limited_until: time
      .nullable()
      .meta({ description: 'Time until which new calls are refused; null if they are accepted' }),
  })
  .meta({ id: 'AbandonedCost' });

export const accountUseResponse = z.object({ day: spendWindow }).meta({ id: 'AccountUse' });

export const limitsBody = z.strictObject({
  daily_limit: usdAmount.nullish(),
  when_short: z.enum(['lower', 'refuse']).optional(),
});

export const topupBody = z.strictObject({
  amount: usdAmount.refine((nano) => nano > 0n, 'must be greater than zero'),
  status: z.enum(['cleared', 'pending']),
  reference: label(200).nullish(),
});

export const adjustmentBody = z.strictObject({
  amount: signedUsdAmount.refine((nano) => nano !== 0n, 'must not be zero'),
  reason: label(200),
});

export const topupsQuery = pageQuery.extend({
  ...cellQuery,
  status: z.enum(['cleared', 'pending', 'voided']).default('pending'),
});

export type Balance = Json<typeof balanceResponse>;
export type Limits = Json<typeof limitsResponse>;
export type LimitsChange = JsonBody<typeof limitsBody>;
export type Topup = Json<typeof topupResponse>;
export type TopupInput = JsonBody<typeof topupBody>;
export type LedgerEntry = Json<typeof ledgerEntryResponse>;
export type Adjustment = Json<typeof adjustmentResponse>;
export type AdjustmentInput = JsonBody<typeof adjustmentBody>;
export type OperatorLoss = Json<typeof operatorLossResponse>;
export type AbandonedCost = Json<typeof abandonedCostResponse>;
export type AccountUse = Json<typeof accountUseResponse>;
