import { type BilledCall, type CallEnding, lostEvent, releasedEvent, type UsageEvent } from './usage-event';

export interface CallOutcome {
  /** As the client saw it. */
  readonly status: number;
  /** Empty: answered. */
  readonly errorCode: string;
}

/**
 * A call that has a hold, from its reservation to its end. It must be ended exactly once. Only the first end counts, as at
 * billing; later ones wait for it.
 */
export class MeteredCall<Call extends BilledCall = BilledCall> {
  readonly #storeEnd: (event: UsageEvent) => Promise<boolean>;
  #call: Call;
  #firstByteMs = 0;
  #ended: Promise<boolean> | undefined;

  /** @param storeEnd stores an end durably and delivers it; false: another process had ended the call */
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

  /** The provider that is called, or has answered, may not be the one that was tried first. */
  setProvider(provider: string): void {
    if (provider !== this.#call.provider) this.#call = { ...this.#call, provider };
  }

  /** The reply begins. */
  answeredBy(provider: string): void {
    this.setProvider(provider);
    this.#firstByteMs = Date.now() - this.#call.startedAtMs;
  }

  /** Releases the hold: nothing was spent. */
  release(outcome: CallOutcome): Promise<boolean> {
    return this.end(outcome, releasedEvent);
  }

  /** Ends a call of which it is unknown what was spent: the caller pays nothing, and the hold is an operator loss. */
  lose(outcome: CallOutcome): Promise<boolean> {
    return this.end(outcome, lostEvent);
  }

  /** Resolves when the end is durable; false: another process had ended the call. */
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
