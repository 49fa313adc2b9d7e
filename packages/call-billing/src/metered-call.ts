import type { CallOutcome } from './call-outcome';
import { type BilledCall, type CallEnding, lostEvent, releasedEvent, type UsageEvent } from './usage-event';

/**
 * A call with a hold, from its reservation to its end. Every call must be ended. Only the first end counts, as in billing;
 * later ones return its result.
 */
export class MeteredCall<Call extends BilledCall = BilledCall> {
  readonly #storeEnd: (event: UsageEvent) => Promise<boolean>;
  #call: Call;
  #firstByteMs = 0;
  #ended: Promise<boolean> | undefined;

  /** @param storeEnd stores an end durably and delivers it; returns false if another process had already ended the call */
  constructor(call: Call, storeEnd: (event: UsageEvent) => Promise<boolean>) {
    this.#call = call;
    this.#storeEnd = storeEnd;
  }

  get call(): Call {
    return this.#call;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Sets the provider that is called or has answered; it may differ from the first one. */
  setProvider(provider: string): void {
    if (provider !== this.#call.provider) this.change({ provider } as Partial<Call>);
  }

  /** Records that the provider's reply has started. */
  answeredBy(provider: string): void {
    this.setProvider(provider);
    this.#firstByteMs = Date.now() - this.#call.startedAtMs;
  }

  /** Releases the hold: the provider charges nothing. */
  release(outcome: CallOutcome): Promise<boolean> {
    return this.end(outcome, releasedEvent);
  }

  /** Ends a call whose outcome is unknown: the account pays nothing, and the whole hold is an operator loss. */
  lose(outcome: CallOutcome): Promise<boolean> {
    return this.end(outcome, lostEvent);
  }

  protected change(changed: Partial<Call>): void {
    this.#call = { ...this.#call, ...changed };
  }

  /** Resolves when the end is durable; false if another process had already ended the call. */
  protected end(
    outcome: CallOutcome,
    eventOf: (call: Call, end: CallEnding) => UsageEvent,
  ): Promise<boolean> {
    this.#ended ??= this.#storeEnd(
      eventOf(this.#call, { ...outcome, endedAtMs: Date.now(), firstByteMs: this.#firstByteMs }),
    );
    return this.#ended;
  }
}
