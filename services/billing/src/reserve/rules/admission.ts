import { GatewayError } from '@gateway/errors';
import { ACCOUNT_CONTENT, allowsAddress, allowsScope, outOfScope } from '@gateway/models';
import { decimalFromNano } from '@gateway/money';
import { allowsModel } from '@gateway/proto/allowed-models';
import { minBigint } from '../../domain/int8';
import { nextUtcDayMs, nextUtcMonthMs } from '../../domain/utc-windows';
import type { RateLimits } from '../../rates/rules/rate-limits';

/** A call that asks for a hold. */
export interface CallToAdmit {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Which of the key's values was presented; empty: unknown. */
  readonly valueId: string;
  readonly model: string;
  /** Output modalities of the model; empty: unknown, from a process of an older version. */
  readonly modelOutputs: readonly string[];
  /** The model was named without its provider. */
  readonly bareModelName: boolean;
  readonly ownerId: string;
  readonly ownerEpoch: bigint;
  /** Maximum cost. */
  readonly boundNano: bigint;
  /** Smallest hold with which the call is worth sending; at most the bound. */
  readonly floorNano: bigint;
  /** Estimated prompt, for TPM. */
  readonly promptTokens: bigint;
  /** Expected output, for TPM; the actual output may be larger. */
  readonly outputTokens: bigint;
  /** The call takes rates only. */
  readonly free: boolean;
  /** The free call stores content, which an account without a balance may not. */
  readonly needsFunds: boolean;
  /** What the call uses, of the key's scopes. */
  readonly scopes: readonly string[];
  /** Address of the client; empty: not checked. */
  readonly clientAddress: string;
  /** The client named the maximum output, which the per-request cap does not lower. */
  readonly callerNamedMaximum: boolean;
  /** The call ends long after its answer, so its hold waits longer for an owner without heartbeats. */
  readonly makesTask: boolean;
  /** Id of the task, and of the call for the request log while the task runs; empty: none. */
  readonly taskId: string;
  readonly endpoint: string;
  /** The call has not been requested before: no hold has to be looked up. */
  readonly isNew: boolean;
  /**
   * The call was requested before, so an open hold with its request id is its own. Otherwise that hold belongs to another
   * call, and granting it again would dispatch two calls on the money of one.
   */
  readonly mayHaveHold: boolean;
}

/** Spending in one window. */
export interface WindowUse {
  /** Settled + held. */
  usedNano: bigint;
  heldNano: bigint;
}

/** An account as its locked row and window show it; `admitCall` updates the figures. */
export interface AccountFigures {
  readonly id: string;
  readonly active: boolean;
  readonly balanceNano: bigint;
  heldNano: bigint;
  readonly dailyLimitNano: bigint | null;
  today: WindowUse;
  readonly insufficientFundsPolicy: 'lower' | 'refuse';
  /** Until then the account is refused new calls because of the cost of calls that could not be charged; 0: not limited. */
  readonly limitedUntilMs: number;
  /** Whether its keys may name models without their provider. */
  readonly bareModelNames: boolean;
}

export interface KeyFigures {
  readonly id: string;
  readonly accountId: string;
  readonly enabled: boolean;
  readonly expiresAtMs: number | null;
  /** Slugs, patterns and types; empty: every model. */
  readonly allowedModels: readonly string[];
  /** Null: the account's setting applies. */
  readonly bareModelNames: boolean | null;
  /** Empty: everything. */
  readonly scopes: readonly string[];
  /** Empty: every address. */
  readonly allowedIps: readonly string[];
  readonly dailyLimitNano: bigint | null;
  readonly monthlyLimitNano: bigint | null;
  readonly requestCostLimitNano: bigint | null;
  readonly rates: RateLimits;
  /** The key's values: those that are valid, and those that a rotation has ended. */
  readonly liveValueIds: readonly string[];
  readonly retiredValueIds: readonly string[];
  readonly today: WindowUse;
  readonly thisMonth: WindowUse;
}

export type Decision =
  | {
      readonly granted: true;
      readonly holdNano: bigint;
      readonly requestCostLimitNano: bigint | null;
      readonly ownContentOnly: boolean;
    }
  | {
      readonly granted: false;
      readonly error: GatewayError;
      /** The call might be granted after the settlement of calls that have ended but still have open holds. */
      readonly awaitsSettlement: boolean;
    };

/** Includes the key's cap, because the final cost of the call counts against it too. */
export const grant = (
  holdNano: bigint,
  { requestCostLimitNano, scopes }: Pick<KeyFigures, 'requestCostLimitNano' | 'scopes'>,
): Decision & { granted: true } => ({
  granted: true,
  holdNano,
  requestCostLimitNano,
  ownContentOnly: !allowsScope({ scopes }, ACCOUNT_CONTENT),
});
export const refuse = (error: GatewayError, awaitsSettlement = false): Decision & { granted: false } => ({
  granted: false,
  error,
  awaitsSettlement,
});

/** Decides one call and, if it is granted, adds its hold to the figures for the next call. */
export function admitCall(
  call: CallToAdmit,
  account: AccountFigures | undefined,
  key: KeyFigures | undefined,
  nowMs: number,
): Decision {
  const decision = decideCall(call, account, key, nowMs);
  if (decision.granted && account && key) {
    const { holdNano } = decision;
    account.heldNano += holdNano;
    for (const use of [account.today, key.today, key.thisMonth]) {
      use.usedNano += holdNano;
      use.heldNano += holdNano;
    }
  }
  return decision;
}

/** Decides without updating the figures: used also for a call that the rates refuse. */
export function decideCall(
  call: CallToAdmit,
  account: AccountFigures | undefined,
  key: KeyFigures | undefined,
  nowMs: number,
): Decision {
  if (!account?.active || !key?.enabled || key.accountId !== account.id) {
    return refuse(new GatewayError('invalid_api_key'));
  }
  if (call.clientAddress !== '' && !allowsAddress(key, call.clientAddress)) {
    return refuse(new GatewayError('invalid_api_key'));
  }
  const isRetired = key.retiredValueIds.includes(call.valueId);
  if (call.valueId !== '' && !isRetired && !key.liveValueIds.includes(call.valueId)) {
    return refuse(new GatewayError('invalid_api_key'));
  }
  if (isRetired || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs)) {
    return refuse(new GatewayError('expired_api_key'));
  }
  const missingScope = call.scopes.find((scope) => !allowsScope(key, scope));
  if (missingScope !== undefined) return refuse(outOfScope(missingScope));
  // Before the allowlist: a model list belongs to no model.
  if (call.free) {
    return call.needsFunds && account.balanceNano <= 0n
      ? refuse(new GatewayError('insufficient_balance'))
      : grant(0n, key);
  }
  if (call.bareModelName && !(key.bareModelNames ?? account.bareModelNames)) {
    return refuse(new GatewayError('invalid_model'));
  }
  if (!allowsModel(key.allowedModels, { slug: call.model, outputModalities: call.modelOutputs })) {
    return refuse(new GatewayError('model_not_found'));
  }

  const boundNano = withinRequestLimit(call, key);
  if (boundNano === undefined) return refuse(overRequestLimit(call, key));
  const decision = fitToSpendLimits(boundNano, call.floorNano, account, key, nowMs);
  return decision.granted && account.limitedUntilMs > nowMs
    ? refuse(overAbandonedCost(account, nowMs))
    : decision;
}

/** Clients ignore a longer wait and use up their attempts at once. */
const MAX_RETRY_AFTER_SECONDS = 60;

/** Checked after the refusals for money, which last longer, and before the key's rates. */
const overAbandonedCost = ({ limitedUntilMs }: AccountFigures, nowMs: number) =>
  new GatewayError('rate_limited', {
    detail:
      'calls of this account cost more in the last hour than could be charged for them, for example because clients disconnected before replies; let calls finish, or wait up to an hour',
    retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil((limitedUntilMs - nowMs) / 1_000)),
  });

/** Returns the bound, lowered to the key's per-request cap if that is allowed; undefined: over the cap. */
function withinRequestLimit(call: CallToAdmit, key: KeyFigures): bigint | undefined {
  const capNano = key.requestCostLimitNano;
  if (capNano === null || call.boundNano <= capNano) return call.boundNano;
  return call.callerNamedMaximum || call.floorNano > capNano ? undefined : capNano;
}

const overRequestLimit = (call: CallToAdmit, key: KeyFigures) =>
  new GatewayError('request_cost_limit', {
    cap: { limitNano: key.requestCostLimitNano ?? 0n, usedNano: call.boundNano },
    detail:
      `this call can cost up to ${decimalFromNano(call.boundNano)} USD, more than the key's limit of ` +
      `${decimalFromNano(key.requestCostLimitNano ?? 0n)} USD per request`,
  });

/** A limit that a hold must fit into, with its error. */
interface SpendLimit {
  readonly freeNano: bigint;
  /** What may become available when holds end. */
  readonly heldNano: bigint;
  /** @param neededNano the smallest hold with which the call can be sent */
  error(neededNano: bigint): GatewayError;
}

function fitToSpendLimits(
  boundNano: bigint,
  floorNano: bigint,
  account: AccountFigures,
  key: KeyFigures,
  nowMs: number,
): Decision {
  const limits = spendLimitsOf(account, key, nowMs);
  const leastNano = minBigint(limits[0].freeNano, ...limits.map((limit) => limit.freeNano));
  if (boundNano <= leastNano) return grant(boundNano, key);

  // A call that costs anything needs a hold above zero, however low its floor.
  const lowestNano = floorNano > 0n ? floorNano : 1n;
  const neededNano =
    account.insufficientFundsPolicy === 'lower' ? minBigint(lowestNano, boundNano) : boundNano;
  const short = limits.find((limit) => limit.freeNano < neededNano);
  if (short) {
    return refuse(
      short.error(neededNano),
      limits.every(({ freeNano, heldNano }) => freeNano + heldNano >= neededNano),
    );
  }

  // An eighth leaves funds for concurrent calls.
  const eighthNano = leastNano / 8n;
  return grant(eighthNano >= lowestNano ? eighthNano : leastNano, key);
}

/** Returns what is left of balance and caps together; negative when one of them is overdrawn. */
export function freeNano(account: AccountFigures, key: KeyFigures): bigint {
  const limits = spendLimitsOf(account, key, 0);
  return minBigint(limits[0].freeNano, ...limits.map((limit) => limit.freeNano));
}

type CapCode = 'key_monthly_limit' | 'account_daily_limit' | 'key_daily_limit';

const CAP_NAMES: Readonly<Record<CapCode, string>> = {
  key_monthly_limit: "the key's monthly limit",
  account_daily_limit: "the account's daily limit",
  key_daily_limit: "the key's daily limit",
};

/** Error for a call that fits no window, because the cap is smaller than the call alone. */
const unmeetable = (code: CapCode, neededNano: bigint, limitNano: bigint): string =>
  `this request needs ${decimalFromNano(neededNano)} USD, which exceeds ${CAP_NAMES[code]} of ` +
  `${decimalFromNano(limitNano)} USD; waiting for the reset does not help`;

/** In order of precedence: first errors that waiting does not resolve, then those with the longest wait. */
function spendLimitsOf(
  account: AccountFigures,
  key: KeyFigures,
  nowMs: number,
): [SpendLimit, ...SpendLimit[]] {
  const hasMoney = account.balanceNano > 0n;
  const limits: [SpendLimit, ...SpendLimit[]] = [
    // With nothing left even a call that costs nothing is refused: the contract says "zero or below".
    {
      freeNano: hasMoney ? account.balanceNano - account.heldNano : -1n,
      heldNano: hasMoney ? account.heldNano : 0n,
      error: () => new GatewayError('insufficient_balance'),
    },
  ];
  const cap = (
    code: CapCode,
    limitNano: bigint | null,
    { usedNano, heldNano }: WindowUse,
    resetsAtMs: (atMs: number) => number,
  ) => {
    if (limitNano === null) return;
    limits.push({
      freeNano: limitNano - usedNano,
      heldNano,
      error: (neededNano) =>
        new GatewayError(code, {
          cap: { limitNano, usedNano, resetsAtMs: resetsAtMs(nowMs) },
          ...(neededNano > limitNano && { detail: unmeetable(code, neededNano, limitNano) }),
        }),
    });
  };
  cap('key_monthly_limit', key.monthlyLimitNano, key.thisMonth, nextUtcMonthMs);
  cap('account_daily_limit', account.dailyLimitNano, account.today, nextUtcDayMs);
  cap('key_daily_limit', key.dailyLimitNano, key.today, nextUtcDayMs);
  return limits;
}
