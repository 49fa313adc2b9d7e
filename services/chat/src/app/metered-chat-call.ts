import { type CallOutcome, MeteredCall, type UsageEvent } from '@gateway/call-billing';
import type { TargetCost } from '@gateway/upstream';
import {
  abandonedCallEvent,
  type BilledModel,
  chargedNano,
  type DispatchedCall,
  type LossReason,
  settledEvent,
  writtenOffEvent,
} from '../domain/settlement-event';
import type { TokenUsage, UsageSource } from '../domain/usage';
import type { UsageJournal } from '../journal/usage-journal';

/** What a call writes to the journal. */
export type CallJournal = Pick<UsageJournal, 'dispatched' | 'progress' | 'final'>;

/** A chat call that has a hold, and its record in the journal. */
export class MeteredChatCall extends MeteredCall<DispatchedCall> {
  readonly #journal: CallJournal;
  #targetCost: TargetCost | undefined;

  constructor(call: DispatchedCall, journal: CallJournal, onFinal: (event: UsageEvent) => void) {
    super(call, async (event) => {
      await journal.final(event);
      onFinal(event);
      return true;
    });
    this.#journal = journal;
  }

  /**
   * Bills the call as a call of the fallback model that answers, also if this process dies: the journal gets its price.
   * @param inputTokens estimated
   */
  billAs({ model, price, standardPrice, priceVersion }: BilledModel, inputTokens: number): void {
    const requestedModel = this.call.requestedModel ?? this.call.model;
    this.change({ model, price, standardPrice, priceVersion, requestedModel });
    // A journal that fails is noticed when the call ends.
    this.dispatched(inputTokens).catch(() => {});
  }

  /** Records that a target's reply has started. @param cost of the target; absent if not known */
  override answeredBy(provider: string, cost?: TargetCost): void {
    super.answeredBy(provider);
    this.#targetCost = cost;
  }

  dispatched(inputTokens: number): Promise<void> {
    return this.#journal.dispatched(this.call, inputTokens);
  }

  progress(usage: TokenUsage): void {
    if (!this.isEnded) this.#journal.progress(this.call.requestId, usage);
  }

  /** Returns what the account is charged for the usage. */
  chargedNano(usage: TokenUsage): bigint {
    return chargedNano(this.call, usage);
  }

  /**
   * Charges the usage. Resolves when the charge is durable.
   * @param lossReason why the rest of the hold is booked as an operator loss; absent: it is not
   */
  settle(usage: TokenUsage, usageSource: UsageSource, outcome: CallOutcome, lossReason?: LossReason) {
    return this.end(outcome, (call, end) =>
      settledEvent(call, {
        ...end,
        usage,
        usageSource,
        targetCost: this.#targetCost,
        ...(lossReason && { lossReason }),
      }),
    );
  }

  /** Releases the hold and books the estimated usage as an operator loss. */
  abandon(estimated: TokenUsage, outcome: CallOutcome) {
    return this.end(outcome, (call, end) => abandonedCallEvent(call, end, estimated));
  }

  /** Releases the hold and books all of it as an operator loss: the provider may charge that much. */
  writeOff(outcome: CallOutcome) {
    return this.end(outcome, writtenOffEvent);
  }
}
