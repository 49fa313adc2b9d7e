import type { Logger } from '@gateway/process';
import type { UsageDelivery } from './usage-delivery';
import type { UsageEvent } from './usage-event';

export interface UsageOutboxOptions {
  readonly delivery: UsageDelivery;
  readonly log: Logger;
  /** Shared by the outboxes of this process. */
  readonly waiting: WaitingEvents;
  /** Called for each event once it is durable at the receiver. */
  onDelivered(event: UsageEvent): void;
}

const MAX_BATCH_EVENTS = 500;
/** Of all outboxes, by memory: an event takes some 2 KB. */
const MAX_WAITING_EVENTS = 200_000;
/** An outbox may have as many, whatever waits in the others: more than wait while deliveries succeed. */
const MIN_OUTBOX_EVENTS = 1_000;
/** Deliveries that have failed for longer than this may not recover soon: calls are refused. */
const MAX_FAILING_MS = 15 * 60_000;
/** Delay to batch calls that end together; short compared with the two seconds that settlement may take. */
const GATHER_MS = 25;
const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

/**
 * Limits the events that wait in the outboxes of one process. An outbox may have as many as it leaves to the others: half of the
 * limit if nothing waits in another. So a cell that does not take its events does not have the calls of other cells refused.
 */
export class WaitingEvents {
  #count = 0;

  add(count: number): void {
    this.#count += count;
  }

  /** Whether an outbox with this number of events may have more. */
  admits(ofOutbox: number): boolean {
    return ofOutbox <= Math.max(MIN_OUTBOX_EVENTS, MAX_WAITING_EVENTS - this.#count);
  }
}

/**
 * Sends finished calls to billing in order and in batches, retrying until it succeeds. The events are also stored where
 * they survive the process.
 */
export class UsageOutbox {
  readonly #options: UsageOutboxOptions;
  #queue: UsageEvent[] = [];
  #running = false;
  #failures = 0;
  #failingSinceMs: number | undefined;
  #closing = false;
  #abandoned = false;
  #wakeEarly: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: UsageOutboxOptions) {
    this.#options = options;
  }

  /** False while events accumulate: new calls must be refused. */
  admits(nowMs: number): boolean {
    if (!this.#options.waiting.admits(this.#queue.length)) return false;
    return this.#failingSinceMs === undefined || nowMs - this.#failingSinceMs < MAX_FAILING_MS;
  }

  add(event: UsageEvent): void {
    this.#queue.push(event);
    this.#options.waiting.add(1);
    if (!this.#running) void this.#run();
  }

  /** Resolves when every event has been delivered, or when the time is over. */
  async close(timeoutMs: number): Promise<void> {
    this.#closing = true;
    this.#wakeEarly?.();
    if (this.#running) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    // Undelivered events stay in their store for the next epoch.
    this.#abandoned = true;
    this.#wakeEarly?.();
    await this.#options.delivery.close();
  }

  async #run(): Promise<void> {
    this.#running = true;
    await this.#pause(GATHER_MS);
    while (this.#queue.length > 0 && !this.#abandoned) {
      const batch = this.#queue.slice(0, MAX_BATCH_EVENTS);
      try {
        await this.#options.delivery.deliver(batch);
        this.#queue = this.#queue.slice(batch.length);
        this.#options.waiting.add(-batch.length);
        this.#failures = 0;
        this.#failingSinceMs = undefined;
        for (const event of batch) this.#options.onDelivered(event);
      } catch (error) {
        this.#failingSinceMs ??= Date.now();
        if (this.#failures++ === 0) this.#options.log.warn({ err: error }, 'usage delivery failed; retrying');
        await this.#pause(Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** this.#failures));
      }
      if (this.#queue.length > 0 && this.#queue.length < MAX_BATCH_EVENTS) await this.#pause(GATHER_MS);
    }
    this.#running = false;
    this.#onIdle?.();
  }

  #pause(ms: number): Promise<void> {
    if (this.#closing && ms === GATHER_MS) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakeEarly = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
