import type { UsageEvent__Output } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';
import type { TokenPrice } from './model';
import { costOf } from './price';
import type { TokenUsage, UsageSource } from './usage';

/** How a call ended, in the JSON form that the journal, Kafka and billing share. */
export type UsageEvent = UsageEvent__Output;

/** What is known of a call when it is dispatched; enough to bill it if this process dies. */
export interface DispatchedCall {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly price: TokenPrice;
  readonly priceVersion: bigint;
  readonly startedAtMs: number;
}

/** How it ended. */
export interface CallEnd {
  readonly usage: TokenUsage;
  readonly usageSource: UsageSource;
  readonly status: number;
  /** Empty: answered. */
  readonly errorCode: string;
  readonly endedAtMs: number;
  readonly firstByteMs: number;
}

const SOURCES = {
  provider: 'USAGE_SOURCE_PROVIDER',
  counted: 'USAGE_SOURCE_COUNTED',
  recovered: 'USAGE_SOURCE_RECOVERED',
} as const;

export function settledEvent(call: DispatchedCall, end: CallEnd): UsageEvent {
  return {
    ...baseEvent(call, end),
    outcome: 'USAGE_OUTCOME_SETTLED',
    costNano: costOf(end.usage, call.price).toString(),
    tokens: {
      input: String(end.usage.input),
      cacheRead: String(end.usage.cacheRead),
      cacheWrite: String(end.usage.cacheWrite + (end.usage.cacheWriteLong ?? 0)),
      output: String(end.usage.output),
      reasoning: String(end.usage.reasoning),
    },
    usageSource: SOURCES[end.usageSource],
  };
}

/** Gives the hold back: the call was not dispatched, or the provider charged nothing for it. */
export function releasedEvent(
  call: Pick<DispatchedCall, 'requestId' | 'accountId' | 'keyId' | 'model'> & Partial<DispatchedCall>,
  end: Partial<CallEnd>,
): UsageEvent {
  return {
    ...baseEvent(call, end),
    outcome: 'USAGE_OUTCOME_RELEASED',
    costNano: '0',
    tokens: null,
    usageSource: 'USAGE_SOURCE_UNSPECIFIED',
  };
}

function baseEvent(
  call: Pick<DispatchedCall, 'requestId' | 'accountId' | 'keyId' | 'model'> & Partial<DispatchedCall>,
  end: Partial<CallEnd>,
) {
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
    endedAtMs: String(end.endedAtMs ?? 0),
    firstByteMs: end.firstByteMs ?? 0,
    status: end.status ?? 0,
    errorCode: end.errorCode ?? '',
  };
}
