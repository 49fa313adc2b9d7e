import type { UsageEvent } from './usage-event';

/** Carries finished calls to billing. Resolves when they are durable on the other side; may repeat itself. */
export interface UsageDelivery {
  deliver(events: readonly UsageEvent[]): Promise<void>;
  close(): Promise<void>;
}
