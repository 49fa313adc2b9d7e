import { releasedEvent, type UsageEvent } from '@gateway/call-billing';
import type { TokenUsage, UsageSource } from '../domain/usage';
import {
  abandonedCallEvent,
  type DispatchedCall,
  type LossReason,
  settledEvent,
  writtenOffEvent,
} from '../domain/usage-event';

/** Stores the records of calls. */
export interface UsageJournal {
  dispatched(call: DispatchedCall, inputTokens: number): Promise<void>;
  progress(requestId: string, usage: TokenUsage): void;
  final(event: UsageEvent): Promise<void>;
}

export interface CallOutcome {
  readonly status: number;
  readonly errorCode: string;
}

/**
 * The record of one call that has a hold. It must be ended exactly once: settled with what it used, or released. Only the
 * first end counts, as at billing.
 */
export class MeteredCall {
  #call: DispatchedCall;
  readonly #journal: UsageJournal;
  readonly #onFinal: (event: UsageEvent) => void;
  #firstByteMs = 0;
  #ended = false;

  constructor(call: DispatchedCall, journal: UsageJournal, onFinal: (event: UsageEvent) => void) {
    this.#call = call;
    this.#journal = journal;
    this.#onFinal = onFinal;
  }

  get requestId(): string {
    return this.#call.requestId;
  }

  get startedAtMs(): number {
    return this.#call.startedAtMs;
  }

  dispatched(inputTokens: number): Promise<void> {
    return this.#journal.dispatched(this.#call, inputTokens);
  }

  /** The reply begins; its provider may not be the one that was tried first. */
  answeredBy(provider: string): void {
    if (provider !== this.#call.provider) this.#call = { ...this.#call, provider };
    this.#firstByteMs = Date.now() - this.#call.startedAtMs;
  }

  progress(usage: TokenUsage): void {
    if (!this.#ended) this.#journal.progress(this.#call.requestId, usage);
  }

  /**
   * Charges the usage. Resolves when the charge is durable.
   * @param lossReason why the rest of the hold is booked as an operator loss; absent: it is not
   */
  settle(
    usage: TokenUsage,
    usageSource: UsageSource,
    outcome: CallOutcome,
    lossReason?: LossReason,
  ): Promise<void> {
    const end = { ...this.#outcome(outcome), usage, usageSource };
    return this.#end(settledEvent(this.#call, lossReason ? { ...end, lossReason } : end));
  }

  /** Releases the hold and books the estimated input as an operator loss. */
  abandon(inputTokens: number, outcome: CallOutcome): Promise<void> {
    return this.#end(abandonedCallEvent(this.#call, this.#outcome(outcome), inputTokens));
  }

  /** Releases the hold and books all of it as an operator loss: the provider may charge that much. */
  writeOff(outcome: CallOutcome): Promise<void> {
    return this.#end(writtenOffEvent(this.#call, this.#outcome(outcome)));
  }

  /** Releases the hold. */
  release(outcome: CallOutcome): Promise<void> {
    return this.#end(releasedEvent(this.#call, this.#outcome(outcome)));
  }

  #outcome(outcome: CallOutcome) {
    return { ...outcome, endedAtMs: Date.now(), firstByteMs: this.#firstByteMs };
  }

  async #end(event: UsageEvent): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#journal.final(event);
    this.#onFinal(event);
  }
}
