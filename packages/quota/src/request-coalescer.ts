import { setTimeout as sleep } from 'node:timers/promises';

export interface RequestCoalescerOptions {
  /** Minimum time between the starts of two requests with one id. */
  readonly gapMs: number;
  /** Maximum number of ids remembered; a forgotten id may be requested again sooner than `gapMs`. */
  readonly maxIds: number;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

interface Pending<Answer> {
  readonly startedMs: number;
  readonly answer: Promise<Answer>;
  isOver: boolean;
  /** The request after this one, shared by the callers that have arrived since. */
  next?: Promise<Answer>;
}

/**
 * Coalesces requests with the same id. A caller never receives the answer of a request that was sent before it called:
 * one request per id is in flight, the next starts no sooner than `gapMs` after it did, and callers that arrive in
 * between share the next one.
 */
export class RequestCoalescer<Answer> {
  readonly #options: RequestCoalescerOptions;
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  readonly #pending = new Map<string, Pending<Answer>>();

  constructor(options: RequestCoalescerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#wait = options.wait ?? sleep;
  }

  request(id: string, send: () => Promise<Answer>): Promise<Answer> {
    const last = this.#pending.get(id);
    if (!last || (last.isOver && this.#restMs(last) <= 0)) return this.#start(id, send);
    last.next ??= this.#after(last).then(() => this.#start(id, send));
    return last.next;
  }

  /** Lets the next request with this id start immediately. */
  forget(id: string): void {
    this.#pending.delete(id);
  }

  clear(): void {
    this.#pending.clear();
  }

  #start(id: string, send: () => Promise<Answer>): Promise<Answer> {
    const pending: Pending<Answer> = {
      startedMs: this.#now(),
      // Starts synchronously, so that callers later in this turn of the event loop find it in flight.
      answer: (async () => send())(),
      isOver: false,
    };
    const over = () => {
      pending.isOver = true;
    };
    pending.answer.then(over, over);
    this.#pending.delete(id);
    this.#pending.set(id, pending);
    if (this.#pending.size > this.#options.maxIds) this.#evictOldest();
    return pending.answer;
  }

  async #after(last: Pending<Answer>): Promise<void> {
    await last.answer.catch(() => undefined);
    const restMs = this.#restMs(last);
    if (restMs > 0) await this.#wait(restMs);
  }

  /** Returns the time until the next request may start; at most the gap, even if the clock was set back. */
  #restMs({ startedMs }: Pending<Answer>): number {
    const { gapMs } = this.#options;
    return Math.min(gapMs, startedMs + gapMs - this.#now());
  }

  #evictOldest(): void {
    for (const oldest of this.#pending.keys()) {
      this.#pending.delete(oldest);
      return;
    }
  }
}
