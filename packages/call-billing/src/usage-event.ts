import type { UsageEvent__Output } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';

/** How a call ended, in the JSON form that journals, Kafka and billing share. */
export type UsageEvent = UsageEvent__Output;

/** Identifies a call's hold. */
export interface HoldIdentity {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  /** Empty: the home cell; absent in what an older version has stored. */
  readonly cell?: string;
}

/** The properties of a call that are known when it is dispatched. */
export interface BilledCall extends HoldIdentity {
  readonly provider: string;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly priceVersion: bigint;
  readonly startedAtMs: number;
  /** Time from the start until money was reserved. */
  readonly admittedMs?: number;
  /** The task that the call created. */
  readonly taskId?: string;
  /** The model that the client named, if a fallback model answers. */
  readonly requestedModel?: string;
}

export interface CallEnding {
  readonly status: number;
  /** Empty: the call was answered. */
  readonly errorCode: string;
  readonly endedAtMs: number;
  readonly firstByteMs: number;
}

/** The outcome for the hold, and the usage. */
export type Settlement = Pick<UsageEvent, 'outcome' | 'costNano' | 'tokens' | 'usageSource'> &
  Partial<Pick<UsageEvent, 'images' | 'videoMs' | 'lossReason' | 'lossNano' | 'providerCostNano'>>;

const NOTHING_CHARGED: Omit<Settlement, 'outcome'> = {
  costNano: '0',
  tokens: null,
  usageSource: 'USAGE_SOURCE_UNSPECIFIED',
};

const MAX_DURATION_MS = 2 ** 32 - 1;

/**
 * Clamps a duration between two readings of a clock that may have been adjusted. Billing would reject the event because of
 * another value, and the call must be charged regardless of its duration.
 */
const durationMs = (ms = 0) => Math.min(Math.max(0, Math.round(ms)), MAX_DURATION_MS);

export function usageEvent(
  call: HoldIdentity & Partial<BilledCall>,
  end: Partial<CallEnding>,
  settlement: Settlement,
): UsageEvent {
  return {
    requestId: call.requestId,
    accountId: call.accountId,
    keyId: call.keyId,
    model: call.model,
    endpoint: call.endpoint ?? '',
    provider: call.provider ?? '',
    streamed: call.streamed ?? false,
    priceVersion: String(call.priceVersion ?? 0n),
    startedAtMs: String(call.startedAtMs ?? 0),
    admittedMs: durationMs(call.admittedMs),
    endedAtMs: String(end.endedAtMs ?? 0),
    firstByteMs: durationMs(end.firstByteMs),
    status: end.status ?? 0,
    errorCode: end.errorCode ?? '',
    images: 0,
    videoMs: '0',
    lossReason: 'LOSS_REASON_UNSPECIFIED',
    lossNano: '0',
    taskId: call.taskId ?? '',
    requestedModel: call.requestedModel ?? '',
    cell: call.cell ?? '',
    ...settlement,
  };
}

/**
 * Returns the event that releases a hold: the call was not dispatched, or the account pays nothing for it.
 * @param loss the amount that the provider may nevertheless charge the operator
 */
export function releasedEvent(
  call: HoldIdentity & Partial<BilledCall>,
  end: Partial<CallEnding>,
  loss?: Pick<Settlement, 'lossReason' | 'lossNano'>,
): UsageEvent {
  return usageEvent(call, end, { ...NOTHING_CHARGED, outcome: 'USAGE_OUTCOME_RELEASED', ...loss });
}

/** Returns the event for a call that the provider may have charged: the hold is an operator loss. */
export function lostEvent(call: HoldIdentity & Partial<BilledCall>, end: Partial<CallEnding>): UsageEvent {
  return usageEvent(call, end, { ...NOTHING_CHARGED, outcome: 'USAGE_OUTCOME_LOST' });
}
