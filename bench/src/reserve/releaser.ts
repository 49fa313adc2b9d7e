import type { UsageEvent } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';

/** The same as in chat. */
const GATHER_MS = 25;
const MAX_BATCH_EVENTS = 500;

export interface HoldIdentity {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
}

interface Waiting {
  readonly event: UsageEvent;
  resolve(): void;
  reject(error: unknown): void;
}

/** Releases holds in batches, one batch at a time. */
export class Releaser {
  readonly #deliver: (events: UsageEvent[]) => Promise<void>;
  #queue: Waiting[] = [];
  #running = false;

  constructor(deliver: (events: UsageEvent[]) => Promise<void>) {
    this.#deliver = deliver;
  }

  /** Resolves when the release is durable. */
  release(call: HoldIdentity): Promise<void> {
    const nowMs = String(Date.now());
    const event: UsageEvent = {
      ...call,
      outcome: 'USAGE_OUTCOME_RELEASED',
      costNano: '0',
      status: 500,
      errorCode: 'internal_error',
      startedAtMs: nowMs,
      endedAtMs: nowMs,
    };
    return new Promise((resolve, reject) => {
      this.#queue.push({ event, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_BATCH_EVENTS);
      try {
        await this.#deliver(batch.map(({ event }) => event));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = false;
  }
}
