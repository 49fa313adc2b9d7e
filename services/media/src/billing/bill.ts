import { type BilledCall, type CallOutcome, MeteredCall, type UsageEvent } from '@gateway/call-billing';
import { GatewayError, type RateFigures, rateHeaders } from '@gateway/errors';
import type { PoolClient } from '@gateway/postgres';
import type { Bills } from '../store/bills';
import type { RecoverableTask } from '../videos/rules/video-task';
import { type Charge, settledEvent } from './rules/bill-event';

/** What billing granted. */
export interface Grant {
  readonly holdNano: bigint;
  /** The key's per-request cap. */
  readonly requestCostLimitNano: bigint | undefined;
  /** The key sees only what was made with it. */
  readonly ownContentOnly: boolean;
  /** The key's remaining rates, for the response if the call fails. */
  readonly rates: RateFigures;
}

export interface BillDeps {
  readonly bills: Pick<Bills, 'dispatched' | 'handOver'>;
  /** Ends a bill and delivers its end. False: another instance had ended it. */
  end(event: UsageEvent): Promise<boolean>;
}

/** The bill of one call that has a hold: settled, released, lost, or handed over to a task. */
export class Bill extends MeteredCall {
  readonly grant: Grant;
  readonly #bills: BillDeps['bills'];

  constructor(call: BilledCall, grant: Grant, { bills, end }: BillDeps) {
    super(call, end);
    this.grant = grant;
    this.#bills = bills;
  }

  /** For the response. */
  get headers(): Readonly<Record<string, string>> {
    return rateHeaders(this.grant.rates);
  }

  /**
   * Marks the bill as dispatched before a provider is called, and again before another one is. From then on it is not
   * assumed that nothing was spent.
   * @param recoverable how to find the task if the response is lost
   * @throws GatewayError `internal_error` when that can't be stored, or the bill belongs to another instance now
   */
  async dispatched(provider = this.call.provider, recoverable?: RecoverableTask): Promise<void> {
    this.setProvider(provider);
    if (await this.#bills.dispatched(this.call, recoverable)) return;
    throw new GatewayError('internal_error', { cause: new Error('the bill was taken over') });
  }

  /** In the transaction that creates the task. False: the bill is no longer ours, and there must be no task. */
  handOver(client: PoolClient): Promise<boolean> {
    return this.#bills.handOver(client, this.call.requestId);
  }

  /** Returns what the account is charged. */
  chargedNano({ costNano }: Charge): bigint {
    const { holdNano } = this.grant;
    if (costNano > holdNano) return holdNano;
    return costNano;
  }

  /** Charges at most the hold. Resolves when the charge is durable; false: another instance had ended the bill. */
  settle(charge: Charge, outcome: CallOutcome): Promise<boolean> {
    return this.end(outcome, (call, end) => settledEvent(call, end, charge));
  }
}
