import { createHash } from 'node:crypto';
import type { RateCorrection } from '../../rates/rules/rate-limiter';
import { MalformedEvent, parseUsageEvent, type UsageEvent } from './usage-event';

/** A settlement event as it came, by whichever way. */
export interface Delivery {
  readonly source: 'grpc' | 'kafka';
  readonly event: UsageEvent | MalformedEvent;
  /** The event's bytes, for a dead letter. */
  payload(): Buffer;
}

/** What became of a delivery; `dead` means that it was set aside with its reason. */
export type DeliveryOutcome =
  | { readonly kind: 'duplicate' }
  /** `rates`: what its call used of what was taken for it, where its key has limits. */
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

/** The same bytes are the same letter, however often they come. */
export const letterDigest = (payload: Buffer): Buffer => createHash('sha256').update(payload).digest();
