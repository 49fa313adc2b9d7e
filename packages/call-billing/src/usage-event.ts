import type { UsageEvent__Output } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';

/** How a call ended, in the JSON form that journals, Kafka and billing share. */
export type UsageEvent = UsageEvent__Output;

/** What identifies a call's hold. */
export interface HeldCall {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
}

/** What is known of a call when it is dispatched. */
export interface BilledCall extends HeldCall {
  readonly provider: string;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly priceVersion: bigint;
  readonly startedAtMs: number;
  /** From then until its money was held. */
  readonly admittedMs?: number;
  /** The task that it created. */
  readonly taskId?: string;
}

export interface CallEnding {
  readonly status: number;
  /** Empty: answered. */
  readonly errorCode: string;
  readonly endedAtMs: number;
  readonly firstByteMs: number;
}

/** What becomes of its hold, and what it used. */
export type Settlement = Pick<UsageEvent, 'outcome' | 'costNano' | 'tokens' | 'usageSource'> &
  Partial<Pick<UsageEvent, 'images' | 'videoMs' | 'lossReason' | 'lossNano'>>;

const NOTHING_CHARGED: Omit<Settlement, 'outcome'> = {
  costNano: '0',
  tokens: null,
  usageSource: 'USAGE_SOURCE_UNSPECIFIED',
};

const MAX_DURATION_MS = 2 ** 32 - 1;

/**
 * Between two looks at a clock that may have been set in between. Billing takes no other, and what a call costs must not
 * depend on how long it took.
 */
const durationMs = (ms = 0) => Math.min(Math.max(0, Math.round(ms)), MAX_DURATION_MS);

export function usageEvent(
  call: HeldCall & Partial<BilledCall>,
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
    ...settlement,
  };
}

/**
 * Gives the hold back: the call was not dispatched, or its caller pays nothing for it.
 * @param loss what the provider may charge the operator for it all the same
 */
export function releasedEvent(
  call: HeldCall & Partial<BilledCall>,
  end: Partial<CallEnding>,
  loss?: Pick<Settlement, 'lossReason' | 'lossNano'>,
): UsageEvent {
  return usageEvent(call, end, { ...NOTHING_CHARGED, outcome: 'USAGE_OUTCOME_RELEASED', ...loss });
}

/** Nobody can say whether the provider charged: the caller pays nothing, the hold is the operator's loss. */
export function lostEvent(call: HeldCall & Partial<BilledCall>, end: Partial<CallEnding>): UsageEvent {
  return usageEvent(call, end, { ...NOTHING_CHARGED, outcome: 'USAGE_OUTCOME_LOST' });
}
