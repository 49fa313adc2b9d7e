import type { CellBilling, Cells } from '@gateway/call-billing';
import { type RateState, rateHeaders } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import { allowsScope, BILLING } from '@gateway/models';
import type { Account__Output } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { ApiKey__Output } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { KeyUse__Output } from '@gateway/proto/generated/gateway/billing/v1/KeyUse';
import { callUnary } from '@gateway/rpc';
import type { Admission } from '../app/reserve-call';
import { exactUsd } from '../json/exact-json';

const TIMEOUT_MS = 5_000;

export interface DescribeKeyDeps {
  readonly cells: Cells<CellBilling>;
  readonly admission: Pick<Admission, 'ratesOfFree'>;
}

/**
 * `GET /v1/key`: the limits of the calling key, what is used of them, and the funds of its account, null outside of the key's scopes;
 * free.
 */
export function describeKey({ cells, admission }: DescribeKeyDeps): LinkHandler {
  return async (context, call) => {
    const { accountId, keyId: id, cell } = call.key;
    const { client } = cells.of(cell);
    const rates = await admission.ratesOfFree(context, call);
    const options = { timeoutMs: TIMEOUT_MS };
    const [key, use, account] = await Promise.all([
      callUnary(client, client.GetKey, { accountId, id }, options),
      callUnary(client, client.GetKeyUse, { accountId, id }, options),
      callUnary(client, client.GetAccount, { id: accountId }, options),
    ]);
    const nowMs = Date.now();
    const described = {
      ...keyJson(key),
      rpm: rates.requests ? rateJson(rates.requests, nowMs) : null,
      tpm: rates.tokens ? rateJson(rates.tokens, nowMs) : null,
      ...spendJson(key, use),
      account: allowsScope(key, BILLING) ? fundsJson(account) : null,
    };
    return jsonReply(described, rateHeaders(rates));
  };
}

/** A key that may call is enabled. */
const keyJson = ({ name, expiresAtMs, allowedModels, scopes }: ApiKey__Output) => ({
  object: 'key',
  name,
  status: 'enabled',
  expires_at: expiresAtMs === undefined ? null : timeText(expiresAtMs),
  allowed_models: allowedModels,
  scopes: scopes.length > 0 ? scopes : null,
});

/** Includes this call. */
const rateJson = ({ limit, remaining, resetSeconds }: RateState, nowMs: number) => ({
  limit: Number(limit),
  used: Number(limit - remaining),
  resets_at: timeText(nowMs + resetSeconds * 1_000),
});

const spendJson = (key: ApiKey__Output, use: KeyUse__Output) => ({
  daily: {
    limit: usdOrNull(key.dailyLimitNano),
    used: usd(use.dayNano),
    resets_at: timeText(use.dayEndsAtMs),
  },
  monthly: {
    limit: usdOrNull(key.monthlyLimitNano),
    used: usd(use.monthNano),
    resets_at: timeText(use.monthEndsAtMs),
  },
  request_cost_limit: usdOrNull(key.requestCostLimitNano),
});

const fundsJson = ({ balanceNano, heldNano }: Account__Output) => ({
  balance: usd(balanceNano),
  available: exactUsd(BigInt(balanceNano) - BigInt(heldNano)),
  currency: 'USD',
});

const usd = (nano: string) => exactUsd(BigInt(nano));
const usdOrNull = (nano: string | undefined) => (nano === undefined ? null : usd(nano));
const timeText = (ms: string | number) => new Date(Number(ms)).toISOString();
