import type { UsageEvent } from './usage-event';

/** Delivers finished calls to billing. Resolves when they are durable there; may deliver an event more than once. */
export interface UsageDelivery {
  deliver(events: readonly UsageEvent[]): Promise<void>;
  close(): Promise<void>;
}
