import { type BilledCall, lostEvent, releasedEvent, type UsageEvent } from '@gateway/call-billing';
import { GatewayError, type RateFigures, rateHeaders } from '@gateway/errors';
import type { PoolClient } from '@gateway/postgres';
import type { Bills } from '../store/bills';
import type { SoughtTask } from '../videos/rules/video-task';
import { type Charge, settledEvent } from './rules/bill-event';

export interface CallOutcome {
  /** As the client saw it. */
  readonly status: number;
  /** Empty: answered. */
  readonly errorCode: string;
}

/** What billing granted. */
export interface Grant {
  readonly holdNano: bigint;
  /** The key's per-request cap. */
  readonly requestCostLimitNano: bigint | undefined;
  /** The key's remaining rates, for the response if the call fails. */
  readonly rates: RateFigures;
}

export interface BillDeps {
  readonly bills: Pick<Bills, 'dispatched' | 'handOver'>;
  /** Ends a bill and delivers its end. False: another instance had ended it. */
  end(event: UsageEvent): Promise<boolean>;
}

/**
 * The bill of one call that has a hold. It must be ended exactly once: settled, released, lost, or handed over to a task.
 * Only the first end counts.
 */
export class Bill {
  readonly grant: Grant;
  readonly #deps: BillDeps;
  #call: BilledCall;
  #ended: Promise<boolean> | undefined;

  constructor(call: BilledCall, grant: Grant, deps: BillDeps) {
    this.#call = call;
    this.grant = grant;
    this.#deps = deps;
  }

  get call(): BilledCall {
    return this.#call;
  }

  /** For the response. */
  get headers(): Readonly<Record<string, string>> {
    return rateHeaders(this.grant.rates);
  }

  /**
   * Marks the bill as dispatched before a provider is called, and again before another one is. From then on it is not
   * assumed that nothing was spent.
   * @param sought how to find the order if its answer is lost
   * @throws GatewayError `internal_error` when that can't be stored, or the bill belongs to another instance now
   */
  async dispatched(provider = this.#call.provider, sought?: SoughtTask): Promise<void> {
    this.#call = { ...this.#call, provider };
    if (await this.#deps.bills.dispatched(this.#call, sought)) return;
    throw new GatewayError('internal_error', { cause: new Error('the bill was taken over') });
  }

  /** In the transaction that creates the task. False: the bill is no longer ours, and there must be no task. */
  handOver(client: PoolClient): Promise<boolean> {
    return this.#deps.bills.handOver(client, this.#call.requestId);
  }

  /** Charges at most the hold. Resolves when the charge is durable; false: another instance had ended the bill. */
  settle(charge: Charge, outcome: CallOutcome): Promise<boolean> {
    return this.#end(() => settledEvent(this.#call, ending(outcome), charge));
  }

  /** Releases the hold: nothing was spent. */
  release(outcome: CallOutcome): Promise<boolean> {
    return this.#end(() => releasedEvent(this.#call, ending(outcome)));
  }

  /** It is unknown what was spent: the caller pays nothing. */
  lost(outcome: CallOutcome): Promise<boolean> {
    return this.#end(() => lostEvent(this.#call, ending(outcome)));
  }

  #end(eventOf: () => UsageEvent): Promise<boolean> {
    this.#ended ??= this.#deps.end(eventOf());
    return this.#ended;
  }
}

const ending = (outcome: CallOutcome) => ({ ...outcome, endedAtMs: Date.now(), firstByteMs: 0 });
