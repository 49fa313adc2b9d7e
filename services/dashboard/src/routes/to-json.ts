import { usdFromNano } from '@gateway/money';
import type { AbandonedCost__Output } from '@gateway/proto/generated/gateway/billing/v1/AbandonedCost';
import type { Account__Output } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { AccountUse__Output } from '@gateway/proto/generated/gateway/billing/v1/AccountUse';
import type { ApiKey__Output } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { CreateKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { FindKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/FindKeyResponse';
import type { KeyUse__Output } from '@gateway/proto/generated/gateway/billing/v1/KeyUse';
import type { LedgerEntry__Output } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { OperatorLoss__Output } from '@gateway/proto/generated/gateway/billing/v1/OperatorLoss';
import type { Throttle__Output } from '@gateway/proto/generated/gateway/billing/v1/Throttle';
import type { Topup__Output } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import type { Account, AccountSettings, PlatformThrottle } from '../api/accounts';
import type {
  AbandonedCost,
  AccountUse,
  Balance,
  LedgerEntry,
  Limits,
  OperatorLoss,
  Topup,
} from '../api/billing';
import type { Page } from '../api/fields';
import type { ApiKey, FoundKey, KeyUse, NewApiKey } from '../api/keys';
import type { IssuedToken } from '../security/login-tokens';

export const toTime = (ms: string | number): string => new Date(Number(ms)).toISOString();
const toUsd = (nano: string): number => usdFromNano(BigInt(nano));
const orNull = <A, B>(value: A | undefined, map: (value: A) => B): B | null =>
  value === undefined ? null : map(value);

export const toList = <T>(data: readonly T[], nextCursor: string): Page<T> => ({
  data,
  next_cursor: nextCursor === '' ? null : nextCursor,
});

export const toTokenJson = ({ token, expiresAtMs }: IssuedToken) => ({
  token,
  expires_at: toTime(expiresAtMs),
});

export function toKeyJson(key: ApiKey__Output): ApiKey {
  return {
    id: key.id,
    name: key.name,
    status: withoutPrefix(key.status, 'KEY_STATUS_'),
    hint: key.hint,
    revoked_at: orNull(key.revokedAtMs, toTime),
    revoke_reason: key.revokeReason || null,
    created_at: toTime(key.createdAtMs),
    expires_at: orNull(key.expiresAtMs, toTime),
    allowed_models: key.allowedModels,
    daily_limit: orNull(key.dailyLimitNano, toUsd),
    monthly_limit: orNull(key.monthlyLimitNano, toUsd),
    request_cost_limit: orNull(key.requestCostLimitNano, toUsd),
    rpm_limit: orNull(key.rpmLimit, Number),
    tpm_limit: orNull(key.tpmLimit, Number),
    bare_model_names: key.bareModelNames ?? null,
    scopes: key.scopes.length > 0 ? key.scopes : null,
    allowed_ips: key.allowedIps.length > 0 ? key.allowedIps : null,
    owner_limits: key.ownerLimits,
    holder_ids: key.holderIds,
    fallback_models: !key.noFallbackModels,
    unsupported_tools: key.dropUnsupportedTools ? 'drop' : 'refuse',
    detailed_messages: key.detailedMessages,
  };
}

/** Includes the value, which is shown once. */
export const toNewKeyJson = ({ key, value }: CreateKeyResponse__Output): NewApiKey => ({
  ...toKeyJson(key!),
  key: value,
});

/** For an operator who has only a value. */
export const toFoundKeyJson = ({ key, valueEndsAtMs }: FindKeyResponse__Output): FoundKey => ({
  ...toKeyJson(key!),
  account_id: key!.accountId,
  value_ends_at: orNull(valueEndsAtMs, toTime),
});

export function toKeyUseJson({ dayEndsAtMs, monthEndsAtMs, minute, ...use }: KeyUse__Output): KeyUse {
  return {
    day: { used: toUsd(use.dayNano), resets_at: toTime(dayEndsAtMs) },
    month: { used: toUsd(use.monthNano), resets_at: toTime(monthEndsAtMs) },
    account_day: { used: toUsd(use.accountDayNano), resets_at: toTime(dayEndsAtMs) },
    minute: minute ? { requests: Number(minute.requests), tokens: Number(minute.tokens) } : null,
  };
}

export const toAccountUseJson = ({ dayNano, dayEndsAtMs }: AccountUse__Output): AccountUse => ({
  day: { used: toUsd(dayNano), resets_at: toTime(dayEndsAtMs) },
});

const toFunds = ({ balanceNano, heldNano }: Account__Output): Omit<Balance, 'account_id'> => ({
  balance: toUsd(balanceNano),
  held: toUsd(heldNano),
  available: usdFromNano(BigInt(balanceNano) - BigInt(heldNano)),
  currency: 'USD',
});

export const toBalanceJson = (account: Account__Output): Balance => ({
  account_id: account.id,
  ...toFunds(account),
});

export const toLimitsJson = (account: Account__Output): Limits => ({
  daily_limit: orNull(account.dailyLimitNano, toUsd),
  when_short: account.whenShort === 'WHEN_SHORT_REFUSE' ? 'refuse' : 'lower',
});

export const toSettingsJson = ({ bareModelNames }: Account__Output): AccountSettings => ({
  bare_model_names: bareModelNames,
});

/** Without what only the dashboard knows. */
export const toAccountJson = (account: Account__Output): Omit<Account, 'owner_email' | 'cell'> => ({
  id: account.id,
  name: account.name,
  status: withoutPrefix(account.status, 'ACCOUNT_STATUS_'),
  created_at: toTime(account.createdAtMs),
  ...toFunds(account),
  ...toLimitsJson(account),
  ...toSettingsJson(account),
  preview_models: account.previewModels,
});

/** Null if there is no throttle. */
export const toThrottleJson = ({ requestsPerSecond }: Throttle__Output): PlatformThrottle => ({
  requests_per_second: requestsPerSecond || null,
});

export function toTopupJson(topup: Topup__Output): Topup {
  return {
    id: topup.id,
    account_id: topup.accountId,
    amount: toUsd(topup.amountNano),
    status: withoutPrefix(topup.status, 'TOPUP_STATUS_'),
    created_at: toTime(topup.createdAtMs),
    cleared_at: orNull(topup.clearedAtMs, toTime),
    voided_at: orNull(topup.voidedAtMs, toTime),
    reference: topup.reference || null,
  };
}

export function toLedgerJson(entry: LedgerEntry__Output): LedgerEntry {
  return {
    id: entry.id,
    kind: withoutPrefix(entry.kind, 'LEDGER_KIND_'),
    amount: toUsd(entry.amountNano),
    reference: entry.reference,
    note: entry.note || null,
    task_id: entry.taskId || null,
    created_at: toTime(entry.createdAtMs),
  };
}

export const toOperatorLossJson = (loss: OperatorLoss__Output): OperatorLoss => ({
  request_id: loss.requestId,
  reason: loss.reason as OperatorLoss['reason'],
  amount: toUsd(loss.amountNano),
  created_at: toTime(loss.createdAtMs),
});

export const toAbandonedCostJson = (cost: AbandonedCost__Output): AbandonedCost => ({
  last_hour: toUsd(cost.hourNano),
  limit: toUsd(cost.limitNano),
  limited_until: orNull(cost.limitedUntilMs, toTime),
});

/** `KEY_STATUS_ENABLED` → `enabled`. */
const withoutPrefix = <Value extends string, Prefix extends string>(value: Value, prefix: Prefix) =>
  value.slice(prefix.length).toLowerCase() as WithoutPrefix<Value, Prefix>;

/** `UNSPECIFIED` is never sent. */
type WithoutPrefix<Value, Prefix extends string> = Value extends `${Prefix}${infer Name}`
  ? Lowercase<Exclude<Name, 'UNSPECIFIED'>>
  : never;
