import {
  type BilledCall,
  type CallEnding,
  releasedEvent,
  type UsageEvent,
  usageEvent,
} from '@gateway/call-billing/usage-event';
import { costOf, type TokenPrice } from '@gateway/pricing';
import type { TargetCost } from '@gateway/upstream';

import { cacheWritesOf, type TokenUsage, type UsageSource } from './usage';

/** What is known of a call when it is dispatched: enough to bill it if this process dies. */
export interface DispatchedCall extends BilledCall {
  readonly price: TokenPrice;
  /** The standard price, if a service tier was requested. */
  readonly standardPrice?: TokenPrice | undefined;
  /** Absent in the journal of an older version. */
  readonly holdNano?: bigint;
  /** Only the provider's figures tell what the call used. */
  readonly usageIsHidden?: boolean;
}

/** The model that a call is billed as. */
export interface BilledModel extends Pick<DispatchedCall, 'model' | 'price' | 'priceVersion'> {
  readonly standardPrice: TokenPrice | undefined;
}

/** How the call ended. */
export interface CallEnd extends CallEnding {
  readonly usage: TokenUsage;
  readonly usageSource: UsageSource;
  /** Why it may have cost more than was charged, up to its hold, at the operator's expense; absent: it did not. */
  readonly lossReason?: LossReason;
  /** Of the target that answered; absent: not known. */
  readonly targetCost?: TargetCost | undefined;
}

export type LossReason = 'usage_unknown' | 'owner_killed';

const LOSS_REASONS = {
  usage_unknown: 'LOSS_REASON_USAGE_UNKNOWN',
  owner_killed: 'LOSS_REASON_OWNER_KILLED',
} as const satisfies Record<LossReason, string>;

const SOURCES = {
  provider: 'USAGE_SOURCE_PROVIDER',
  counted: 'USAGE_SOURCE_COUNTED',
  recovered: 'USAGE_SOURCE_RECOVERED',
} as const;

export function settledEvent(call: DispatchedCall, end: CallEnd): UsageEvent {
  const callNano = costNano(call, end.usage);
  const restNano = (call.holdNano ?? 0n) - callNano;
  return usageEvent(call, end, {
    outcome: 'USAGE_OUTCOME_SETTLED',
    costNano: callNano.toString(),
    tokens: {
      input: String(end.usage.input),
      cacheRead: String(end.usage.cache_read),
      cacheWrite: String(cacheWritesOf(end.usage)),
      output: String(end.usage.output),
      reasoning: String(end.usage.reasoning),
      units: unitsJson(end.usage),
    },
    usageSource: SOURCES[end.usageSource],
    ...(end.targetCost && { providerCostNano: providerCostNano(end.targetCost, end.usage).toString() }),
    ...(end.lossReason &&
      restNano > 0n && { lossReason: LOSS_REASONS[end.lossReason], lossNano: restNano.toString() }),
  });
}

function unitsJson({ units }: TokenUsage): Record<string, string> {
  if (!units) return {};
  return Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, String(count)]));
}

/** Returns what billing charges the account for the usage: never more than the hold. */
export function chargedNano(call: DispatchedCall, usage: TokenUsage): bigint {
  const callNano = costNano(call, usage);
  const { holdNano = callNano } = call;
  if (callNano > holdNano) return holdNano;
  return callNano;
}

/** Returns what the provider charges, in the tier that it reports. */
export function providerCostNano(cost: TargetCost, usage: TokenUsage): bigint {
  return costOf(usage, cost.serviceTiers?.get(usage.serviceTier ?? '') ?? cost).costNano;
}

/** Creates the event of a call that its client abandoned before the reply began: free, at the operator's expense. */
export function abandonedCallEvent(call: DispatchedCall, end: CallEnding, estimated: TokenUsage): UsageEvent {
  const lossNano = costNano(call, estimated).toString();
  return releasedEvent(call, end, { lossReason: 'LOSS_REASON_ABANDONED', lossNano });
}

/** Creates the event of a failed call whose usage only the provider knows: free, and the hold is the operator's loss. */
export function writtenOffEvent(call: DispatchedCall, end: CallEnding): UsageEvent {
  const lossNano = (call.holdNano ?? 0n).toString();
  return releasedEvent(call, end, { lossReason: LOSS_REASONS.usage_unknown, lossNano });
}

/**
 * Returns the cost at the tier that the provider applied. A provider that is short of a tier applies the standard one and
 * bills that (OpenAI's guide to priority processing). A call never costs more than in the requested tier.
 */
function costNano({ price, standardPrice }: DispatchedCall, usage: TokenUsage): bigint {
  const askedNano = costOf(usage, price).costNano;
  if (!standardPrice || usage.serviceTier !== 'default') return askedNano;
  const standardNano = costOf(usage, standardPrice).costNano;
  if (standardNano < askedNano) return standardNano;
  return askedNano;
}
