import { type BilledCall, type CallEnding, type UsageEvent, usageEvent } from '@gateway/metering';
import type { TokenPrice } from './model';
import { costOf } from './price';
import type { TokenUsage, UsageSource } from './usage';

/** What is known of a call when it is dispatched; enough to bill it if this process dies. */
export interface DispatchedCall extends BilledCall {
  readonly price: TokenPrice;
  /** Where a service tier was asked for: the price without it. */
  readonly standardPrice?: TokenPrice;
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
    costNano: costNano(call, end.usage).toString(),
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

/**
 * A provider that is short of a tier gives the standard one and bills that (OpenAI's guide to priority processing). A
 * call never costs more than in the tier that was asked for.
 */
function costNano({ price, standardPrice }: DispatchedCall, usage: TokenUsage): bigint {
  const askedNano = costOf(usage, price);
  if (!standardPrice || usage.serviceTier !== 'default') return askedNano;
  const standardNano = costOf(usage, standardPrice);
  if (standardNano < askedNano) return standardNano;
  return askedNano;
}
