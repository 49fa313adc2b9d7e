import type { Logger } from '@gateway/runtime';
import type { UsageDelivery } from '../domain/usage-delivery';
import type { UsageEvent } from '../domain/usage-event';

export interface UsageRelayOptions {
  readonly delivery: UsageDelivery;
  readonly log: Logger;
  /** Called for each event once it is durable on the other side. */
  onDelivered(event: UsageEvent): void;
}

const MAX_BATCH_EVENTS = 500;
/** A moment's wait gathers calls that end together; settlement has two seconds. */
const GATHER_MS = 25;
const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

/**
 * Sends finished calls to billing in order, a batch at a time, trying again until it succeeds. What waits
 * here is in the journal too, which bounds it.
 */
export class UsageRelay {
  readonly #options: UsageRelayOptions;
  #queue: UsageEvent[] = [];
  #running = false;
  #failures = 0;
  #oldestFailureMs: number | undefined;
  #closing = false;
  #wakeEarly: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: UsageRelayOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Milliseconds since deliveries began to fail; 0 while they succeed. */
  failingForMs(nowMs: number): number {
    return this.#oldestFailureMs === undefined ? 0 : nowMs - this.#oldestFailureMs;
  }

  add(event: UsageEvent): void {
    this.#queue.push(event);
    if (!this.#running) void this.#run();
  }

  /** Resolves when all that was added is delivered, or when the time is over. */
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
    await this.#options.delivery.close();
  }

  async #run(): Promise<void> {
    this.#running = true;
    await this.#pause(GATHER_MS);
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, MAX_BATCH_EVENTS);
      try {
        await this.#options.delivery.deliver(batch);
        this.#queue = this.#queue.slice(batch.length);
        this.#failures = 0;
        this.#oldestFailureMs = undefined;
        for (const event of batch) this.#options.onDelivered(event);
      } catch (error) {
        this.#oldestFailureMs ??= Date.now();
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
