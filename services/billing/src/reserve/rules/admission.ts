import { GatewayError } from '@gateway/errors';
import { decimalFromNano } from '@gateway/money';
import { minBigint } from '../../domain/int8';
import type { RateTerms } from '../../rates/rules/rate-terms';
import { nextUtcDayMs, nextUtcMonthMs } from './spend-window';

/** A call that asks for a hold. */
export interface CallToAdmit {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Which of the key's values was presented; empty: not known. */
  readonly valueId: string;
  readonly model: string;
  /** The caller named it without its provider. */
  readonly bareModelName: boolean;
  readonly ownerId: string;
  readonly ownerEpoch: bigint;
  /** Most that it can cost. */
  readonly boundNano: bigint;
  /** Least hold with which it is worth sending; at most the bound. */
  readonly floorNano: bigint;
  /** Estimate of its prompt, for TPM. */
  readonly promptTokens: bigint;
  /** Expected output, for TPM; may turn out to be more. */
  readonly outputTokens: bigint;
  /** Takes rates only. */
  readonly free: boolean;
  /** Its maximum output is the caller's own wish, which the per-request cap does not lower. */
  readonly callerNamedMaximum: boolean;
  /** Its end comes long after its answer: its hold waits longer for an owner that is silent. */
  readonly makesTask: boolean;
  /** Of the task and of the call, for the request log while the task runs; empty: it makes none. */
  readonly taskId: string;
  readonly endpoint: string;
  /** Nobody has asked for it before: its hold need not be looked for. */
  readonly isNew: boolean;
  /**
   * It was asked for before, so an open hold with its request id is its own. Otherwise that hold is another call's, and
   * granting it again would dispatch two calls on the money of one.
   */
  readonly mayHaveHold: boolean;
}

/** What a window of spending holds and has settled. */
export interface WindowUse {
  /** Settled + held. */
  usedNano: bigint;
  heldNano: bigint;
}

/** An account as its locked row and window say; `admitCall` changes the figures. */
export interface AccountFigures {
  readonly id: string;
  readonly active: boolean;
  readonly balanceNano: bigint;
  heldNano: bigint;
  readonly dailyLimitNano: bigint | null;
  today: WindowUse;
  readonly insufficientFundsPolicy: 'lower' | 'refuse';
  /** Until then the cost of calls that it abandoned keeps it from new ones; 0: nothing does. */
  readonly limitedUntilMs: number;
  /** Its keys may name models without their provider. */
  readonly bareModelNames: boolean;
}

export interface KeyFigures {
  readonly id: string;
  readonly accountId: string;
  readonly enabled: boolean;
  readonly expiresAtMs: number | null;
  /** Empty: every model. */
  readonly allowedModels: readonly string[];
  /** Null: as the account says. */
  readonly bareModelNames: boolean | null;
  readonly dailyLimitNano: bigint | null;
  readonly monthlyLimitNano: bigint | null;
  readonly requestCostLimitNano: bigint | null;
  readonly rates: RateTerms;
  /** Of the values that calls present: those that are good, and those that a rotation has ended. */
  readonly liveValueIds: readonly string[];
  readonly retiredValueIds: readonly string[];
  readonly today: WindowUse;
  readonly thisMonth: WindowUse;
}

export type Decision =
  | { readonly granted: true; readonly holdNano: bigint; readonly requestCostLimitNano: bigint | null }
  | {
      readonly granted: false;
      readonly error: GatewayError;
      /** Open holds alone may stand in the way, and calls that have ended and are not settled be among them. */
      readonly awaitsSettlement: boolean;
    };

/** The key's cap goes along: what a call turns out to cost is held against it too. */
export const grant = (
  holdNano: bigint,
  { requestCostLimitNano }: Pick<KeyFigures, 'requestCostLimitNano'>,
): Decision & { granted: true } => ({ granted: true, holdNano, requestCostLimitNano });
export const refuse = (error: GatewayError, awaitsSettlement = false): Decision & { granted: false } => ({
  granted: false,
  error,
  awaitsSettlement,
});

/** Decides one call and, if it is granted, counts its hold in the figures that the next call meets. */
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

/** Decides without counting: also what a call that the rates refuse would have met. */
export function decideCall(
  call: CallToAdmit,
  account: AccountFigures | undefined,
  key: KeyFigures | undefined,
  nowMs: number,
): Decision {
  if (!account?.active || !key?.enabled || key.accountId !== account.id) {
    return refuse(new GatewayError('invalid_api_key'));
  }
  const isRetired = key.retiredValueIds.includes(call.valueId);
  if (call.valueId !== '' && !isRetired && !key.liveValueIds.includes(call.valueId)) {
    return refuse(new GatewayError('invalid_api_key'));
  }
  if (isRetired || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs)) {
    return refuse(new GatewayError('expired_api_key'));
  }
  // Before the allowlist: a model list is of no one model.
  if (call.free) return grant(0n, key);
  if (call.bareModelName && !(key.bareModelNames ?? account.bareModelNames)) {
    return refuse(new GatewayError('invalid_model'));
  }
  if (key.allowedModels.length > 0 && !key.allowedModels.includes(call.model)) {
    return refuse(new GatewayError('model_not_found'));
  }

  const boundNano = withinRequestLimit(call, key);
  if (boundNano === undefined) return refuse(overRequestLimit(call, key));
  const decision = fitToFunds(boundNano, call.floorNano, account, key, nowMs);
  return decision.granted && account.limitedUntilMs > nowMs
    ? refuse(overAbandonedCost(account, nowMs))
    : decision;
}

/** Clients ignore a longer wait and spend their attempts at once. */
const MAX_RETRY_AFTER_SECONDS = 60;

/** Behind the refusals for money, which a wait does not cure or which last longer; before those of its key's rates. */
const overAbandonedCost = ({ limitedUntilMs }: AccountFigures, nowMs: number) =>
  new GatewayError('rate_limited', {
    detail:
      'too many calls of this account were abandoned before their replies began; let calls finish, or wait up to an hour',
    retryAfterSeconds: Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil((limitedUntilMs - nowMs) / 1_000)),
  });

/** The bound, lowered to the key's per-request cap where that is allowed; undefined: over the cap. */
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

/** One thing that a hold must fit into, and the error when it doesn't. */
interface Fund {
  readonly freeNano: bigint;
  /** What may be free when holds have ended. */
  readonly heldNano: bigint;
  /** @param neededNano the least hold with which the call can be sent */
  error(neededNano: bigint): GatewayError;
}

function fitToFunds(
  boundNano: bigint,
  floorNano: bigint,
  account: AccountFigures,
  key: KeyFigures,
  nowMs: number,
): Decision {
  const funds = fundsOf(account, key, nowMs);
  const leastNano = minBigint(funds[0].freeNano, ...funds.map((fund) => fund.freeNano));
  if (boundNano <= leastNano) return grant(boundNano, key);

  // A call that costs anything can't be sent on nothing, however low its floor.
  const lowestNano = floorNano > 0n ? floorNano : 1n;
  const neededNano =
    account.insufficientFundsPolicy === 'lower' ? minBigint(lowestNano, boundNano) : boundNano;
  const short = funds.find((fund) => fund.freeNano < neededNano);
  if (short) {
    return refuse(
      short.error(neededNano),
      funds.every(({ freeNano, heldNano }) => freeNano + heldNano >= neededNano),
    );
  }

  // An eighth leaves room for the calls beside it.
  const eighthNano = leastNano / 8n;
  return grant(eighthNano >= lowestNano ? eighthNano : leastNano, key);
}

/** What is left of balance and caps together; below zero when one of them is overdrawn. */
export function freeNano(account: AccountFigures, key: KeyFigures): bigint {
  const funds = fundsOf(account, key, 0);
  return minBigint(funds[0].freeNano, ...funds.map((fund) => fund.freeNano));
}

type CapCode = 'key_monthly_limit' | 'account_daily_limit' | 'key_daily_limit';

const CAP_NAMES: Readonly<Record<CapCode, string>> = {
  key_monthly_limit: "the key's whole monthly limit",
  account_daily_limit: "the account's whole daily limit",
  key_daily_limit: "the key's whole daily limit",
};

/** For a call that no reset lets through, because the cap is smaller than the call alone. */
const unmeetable = (code: CapCode, neededNano: bigint, limitNano: bigint): string =>
  `this call needs ${decimalFromNano(neededNano)} USD, more than ${CAP_NAMES[code]} of ` +
  `${decimalFromNano(limitNano)} USD; it is refused after the reset as well`;

/** In the order of precedence of their errors: what waiting can't cure first, then the longest wait. */
function fundsOf(account: AccountFigures, key: KeyFigures, nowMs: number): [Fund, ...Fund[]] {
  const hasMoney = account.balanceNano > 0n;
  const funds: [Fund, ...Fund[]] = [
    // Nothing left is refused even to a call that costs nothing: the spec says "zero or below".
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
    funds.push({
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
  return funds;
}
