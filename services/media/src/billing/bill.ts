import { type BilledCall, lostEvent, releasedEvent, type UsageEvent } from '@gateway/call-billing';
import { GatewayError, type RateFigures, rateHeaders } from '@gateway/errors';
import type { PoolClient } from '@gateway/postgres';
import type { Bills } from '../store/bills';
import type { SoughtTask } from '../videos/rules/video-task';
import { type Charge, settledEvent } from './rules/bill-event';

export interface CallOutcome {
  /** As the caller saw it. */
  readonly status: number;
  /** Empty: answered. */
  readonly errorCode: string;
}

/** What billing granted. */
export interface Grant {
  readonly holdNano: bigint;
  /** The key's cap on what one request may cost. */
  readonly requestCostLimitNano: bigint | undefined;
  /** What its key has left, for the answer if the call fails. */
  readonly rates: RateFigures;
}

export interface BillDeps {
  readonly bills: Pick<Bills, 'dispatched' | 'handOver'>;
  /** Ends a bill and has that delivered. False: it had been ended by others. */
  end(event: UsageEvent): Promise<boolean>;
}

/**
 * The bill of one call that holds money. However the call ends, it must be ended exactly once: settled, released,
 * lost, or handed over to a task. The first end counts.
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

  /** For the answer. */
  get headers(): Readonly<Record<string, string>> {
    return rateHeaders(this.grant.rates);
  }

  /**
   * Before the provider is called, and again before the call goes to another one. From then on nobody takes it for
   * granted that nothing was spent.
   * @param sought how to find what is ordered, should nobody hear the answer
   * @throws GatewayError `internal_error` when that can't be written down, or the bill is no longer ours
   */
  async dispatched(provider = this.#call.provider, sought?: SoughtTask): Promise<void> {
    this.#call = { ...this.#call, provider };
    if (await this.#deps.bills.dispatched(this.#call, sought)) return;
    throw new GatewayError('internal_error', { cause: new Error('the bill was taken over') });
  }

  /** In the transaction that makes its task. False: it is no longer ours, and there must be no task. */
  handOver(client: PoolClient): Promise<boolean> {
    return this.#deps.bills.handOver(client, this.#call.requestId);
  }

  /** Charges, at most the hold. Resolves when that can't be lost any more; false: others had ended it. */
  settle(charge: Charge, outcome: CallOutcome): Promise<boolean> {
    return this.#end(() => settledEvent(this.#call, ending(outcome), charge));
  }

  /** Gives the whole hold back: nothing was spent. */
  release(outcome: CallOutcome): Promise<boolean> {
    return this.#end(() => releasedEvent(this.#call, ending(outcome)));
  }

  /** Nobody can say what was spent: the caller pays nothing. */
  lost(outcome: CallOutcome): Promise<boolean> {
    return this.#end(() => lostEvent(this.#call, ending(outcome)));
  }

  #end(eventOf: () => UsageEvent): Promise<boolean> {
    this.#ended ??= this.#deps.end(eventOf());
    return this.#ended;
  }
}

const ending = (outcome: CallOutcome) => ({ ...outcome, endedAtMs: Date.now(), firstByteMs: 0 });
