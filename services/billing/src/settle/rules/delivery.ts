import { createHash } from 'node:crypto';
import type { RateCorrection } from '../../rates/rules/rate-limiter';
import { MalformedEvent, parseUsageEvent, type UsageEvent } from './usage-event';

/** A usage event as it was delivered. */
export interface Delivery {
  readonly source: 'grpc' | 'kafka';
  readonly event: UsageEvent | MalformedEvent;
  /** The event's bytes, for a dead letter. */
  payload(): Buffer;
}

/** The outcome of a delivery; `dead`: stored as a dead letter with its reason. */
export type DeliveryOutcome =
  | { readonly kind: 'duplicate' }
  /** `rates`: what the call used of its reservation, if its key has limits. */
  | { readonly kind: 'applied'; readonly rates?: RateCorrection }
  | { readonly kind: 'dead'; readonly reason: string };

export function deliveryOfMessage(message: object): Delivery {
  return {
    source: 'grpc',
    event: parsed(() => message),
    payload: () => Buffer.from(JSON.stringify(message)),
  };
}

export function deliveryOfJson(value: Buffer | null): Delivery {
  const bytes = value ?? Buffer.alloc(0);
  return { source: 'kafka', event: parsed(() => JSON.parse(bytes.toString('utf8'))), payload: () => bytes };
}

function parsed(read: () => unknown): UsageEvent | MalformedEvent {
  try {
    return parseUsageEvent(read());
  } catch (error) {
    return error instanceof MalformedEvent ? error : new MalformedEvent('not JSON');
  }
}

/** Identifies a dead letter by its bytes, however often it is delivered. */
export const letterDigest = (payload: Buffer): Buffer => createHash('sha256').update(payload).digest();
