import type { UsageEvent } from '@gateway/call-billing';
import { type DispatchedCall, settledEvent } from '../domain/settlement-event';
import type { TokenUsage } from '../domain/usage';

/** Returns the end of a call that a kill has interrupted. @param usage its last progress */
export function interruptedEvent(call: DispatchedCall, usage: TokenUsage, nowMs: number): UsageEvent {
  return settledEvent(call, {
    usage,
    usageSource: 'recovered',
    status: 0,
    errorCode: 'internal_error',
    endedAtMs: nowMs,
    firstByteMs: 0,
    // If a stream shows everything it uses, its last progress is accurate to a second.
    ...((call.usageIsHidden || !call.streamed) && { lossReason: 'owner_killed' }),
  });
}
