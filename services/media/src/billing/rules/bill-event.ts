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
  /** Usage that is not counted in tokens, by the name of its unit, such as `character`. */
  readonly units?: Readonly<Record<string, number>>;
  readonly tokens?: { readonly input: number; readonly output: number };
  /** `counted`: the provider reported no figures; absent: they are the provider's. */
  readonly source?: 'provider' | 'counted';
}

export type BillState = 'open' | 'dispatched';

export function settledEvent(call: BilledCall, end: CallEnding, charge: Charge): UsageEvent {
  const { costNano, images = 0, videoMs = 0, tokens, units, source = 'provider' } = charge;
  return usageEvent(call, end, {
    outcome: 'USAGE_OUTCOME_SETTLED',
    costNano: costNano.toString(),
    tokens:
      tokens || units
        ? {
            input: String(tokens?.input ?? 0),
            cacheRead: '0',
            cacheWrite: '0',
            output: String(tokens?.output ?? 0),
            reasoning: '0',
            units: Object.fromEntries(
              Object.entries(units ?? {}).map(([unit, count]) => [unit, String(count)]),
            ),
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
