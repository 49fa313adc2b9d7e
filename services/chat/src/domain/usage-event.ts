import { type BilledCall, type CallEnding, type UsageEvent, usageEvent } from '@gateway/metering';
import type { TokenPrice } from './model';
import { costOf } from './price';
import type { TokenUsage, UsageSource } from './usage';

/** What is known of a call when it is dispatched; enough to bill it if this process dies. */
export interface DispatchedCall extends BilledCall {
  readonly price: TokenPrice;
}

/** How it ended. */
export interface CallEnd extends CallEnding {
  readonly usage: TokenUsage;
  readonly usageSource: UsageSource;
}

const SOURCES = {
  provider: 'USAGE_SOURCE_PROVIDER',
  counted: 'USAGE_SOURCE_COUNTED',
  recovered: 'USAGE_SOURCE_RECOVERED',
} as const;

export function settledEvent(call: DispatchedCall, end: CallEnd): UsageEvent {
  return usageEvent(call, end, {
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
  });
}
