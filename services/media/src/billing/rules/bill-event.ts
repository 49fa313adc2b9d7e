import {
  type BilledCall,
  type CallEnding,
  lostEvent,
  releasedEvent,
  type UsageEvent,
  usageEvent,
} from '@gateway/call-billing/usage-event';

/** The cost of a call and its results. */
export interface Charge {
  readonly costNano: bigint;
  readonly images?: number;
  readonly videoMs?: number;
  /** Of text that was spoken. */
  readonly characters?: number;
  /** Of audio that was transcribed. */
  readonly audioMs?: number;
  readonly tokens?: { readonly input: number; readonly output: number };
  /** `counted`: the provider reported no figures; absent: they are the provider's. */
  readonly source?: 'provider' | 'counted';
}

export type BillState = 'open' | 'dispatched';

export function settledEvent(call: BilledCall, end: CallEnding, charge: Charge): UsageEvent {
  const { costNano, images = 0, videoMs = 0, tokens, source = 'provider' } = charge;
  return usageEvent(call, end, {
    outcome: 'USAGE_OUTCOME_SETTLED',
    costNano: costNano.toString(),
    tokens: tokens
      ? {
          input: String(tokens.input),
          cacheRead: '0',
          cacheWrite: '0',
          output: String(tokens.output),
          reasoning: '0',
          units: {},
        }
      : null,
    usageSource: source === 'provider' ? 'USAGE_SOURCE_PROVIDER' : 'USAGE_SOURCE_COUNTED',
    images,
    videoMs: String(videoMs),
  });
}

/** The end of a call whose process died: the provider had not been called, or the result is unknown. */
export function abandonedEvent(call: BilledCall, state: BillState, nowMs: number): UsageEvent {
  const end = { status: 0, errorCode: 'internal_error', endedAtMs: nowMs, firstByteMs: 0 };
  return state === 'open' ? releasedEvent(call, end) : lostEvent(call, end);
}
