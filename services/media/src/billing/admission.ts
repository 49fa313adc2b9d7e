import {
  type BilledCall,
  type Cells,
  CLIENT_DISCONNECTED,
  type FreeCall,
  failedBy,
  freeRequest,
  holdRequest,
  type ReserveClient,
  releasedEvent,
  type UsageOutbox,
} from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { ReserveGrant__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveGrant';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { ClientDisconnected, fromProtoRates, type RequestContext } from '@gateway/rpc';
import type { Model } from '../domain/model';
import type { Bills } from '../store/bills';
import { Bill, type Grant } from './bill';
import type { BillOutbox } from './bill-outbox';
import { MEDIA_OWNER } from './rules/owner';

export interface AdmissionDeps {
  readonly cells: Cells<{
    readonly reserve: Pick<ReserveClient, 'reserve' | 'reserveWithSettlementRetries'>;
    readonly outbox: Pick<UsageOutbox, 'admits'>;
  }>;
  readonly bills: Bills;
  readonly billOutbox: Pick<BillOutbox, 'end' | 'dropLater'>;
}

export interface AdmissionRequest {
  readonly key: KeyContext__Output;
  readonly model: Pick<Model, 'slug' | 'outputModalities' | 'priceVersion'>;
  /** The model was named without its provider, which the key must allow. */
  readonly bareModelName?: boolean;
  /** The provider that is tried first. */
  readonly provider: string;
  readonly endpoint: string;
  /** The reply is a stream of events. */
  readonly streamed?: boolean;
  /** Maximum cost. */
  readonly boundNano: bigint;
  /** Smallest useful hold; absent: the bound, because the result can't be reduced. */
  readonly floorNano?: bigint;
  /** Id of the task that the call creates; its hold waits longer for an instance without heartbeats. */
  readonly taskId?: string;
  /** Expected tokens, for the key's TPM limit; absent: none. */
  readonly tokens?: { readonly prompt: number; readonly output: number };
}

const NO_TOKENS = { prompt: 0, output: 0 };

/** Admits every call: requires a durable bill, then a hold at billing. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #held = new WeakSet<RequestContext>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** @throws GatewayError billing's refusal, or `internal_error` when the call could not be recorded */
  async admit(context: RequestContext, request: AdmissionRequest): Promise<Bill> {
    const { bills, billOutbox, cells } = this.#deps;
    const { cell } = request.key;
    if (!cells.of(cell).outbox.admits(Date.now())) {
      throw new GatewayError('internal_error', { cause: new Error('too many undelivered bills') });
    }
    const call: BilledCall = {
      requestId: context.requestId,
      accountId: request.key.accountId,
      keyId: request.key.keyId,
      cell,
      model: request.model.slug,
      provider: request.provider,
      endpoint: request.endpoint,
      streamed: request.streamed ?? false,
      priceVersion: request.model.priceVersion,
      startedAtMs: Date.now(),
    };
    try {
      await bills.open(call);
    } catch (error) {
      billOutbox.dropLater(call.requestId);
      throw error;
    }
    const grant = await this.#hold(context, call, request);
    this.#held.add(context);
    const admitted = { ...call, admittedMs: Date.now() - call.startedAtMs };
    return new Bill(admitted, grant, { bills, end: (event) => billOutbox.end(event) });
  }

  /** Whether money was or may have been reserved: the end of the bill then creates the record. */
  hasHold(context: RequestContext): boolean {
    return this.#held.has(context);
  }

  /** Admits a call that costs nothing: counts it against the key's RPM. */
  async admitFree(context: RequestContext, call: FreeCall): Promise<Grant> {
    const { reserve } = this.#deps.cells.of(call.key.cell);
    const grant = await reserve.reserve(freeRequest(context.requestId, call));
    return fromProtoGrant(grant);
  }

  async #hold(context: RequestContext, call: BilledCall, request: AdmissionRequest): Promise<Grant> {
    const { boundNano, floorNano = boundNano, tokens = NO_TOKENS, taskId, bareModelName = false } = request;
    try {
      const hold = holdRequest(call.requestId, MEDIA_OWNER, {
        key: request.key,
        model: request.model,
        endpoint: call.endpoint,
        bareModelName,
        boundNano: boundNano.toString(),
        floorNano: floorNano.toString(),
        boundTokens: String(tokens.prompt + tokens.output),
        floorTokens: String(tokens.prompt),
        // An order above the key's per-request cap is refused, never reduced.
        callerNamedMaximum: true,
        taskId,
      });
      const { reserve } = this.#deps.cells.of(call.cell);
      const grant = await reserve.reserveWithSettlementRetries(hold, context.signal);
      return fromProtoGrant(grant);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (mayHold(error)) this.#held.add(context);
      this.#giveUp(call, error).catch((err) =>
        context.log.error({ err }, 'bill of a failed call not released'),
      );
      throw thrown;
    }
  }

  async #giveUp(call: BilledCall, error: GatewayError): Promise<void> {
    const { bills, billOutbox } = this.#deps;
    if (!mayHold(error)) {
      const isGone = await bills.drop(call.requestId).then(
        () => true,
        () => false,
      );
      if (isGone) return;
    }
    await billOutbox.end(releasedEvent(call, { ...failedBy(error), endedAtMs: Date.now() }));
  }
}

/** Admits a call unless its client has disconnected meanwhile. @throws ClientDisconnected with the bill released: the client may have repeated the call already */
export async function admitConnected(
  admission: Pick<Admission, 'admit'>,
  context: RequestContext,
  request: AdmissionRequest,
): Promise<Bill> {
  const bill = await admission.admit(context, request);
  if (!context.signal.aborted) return bill;
  await bill.release(CLIENT_DISCONNECTED);
  throw new ClientDisconnected();
}

/** Whether the error is a refusal, which reserves nothing; after a failure the outcome is unknown. */
const mayHold = ({ code }: GatewayError): boolean => code === 'internal_error';

function fromProtoGrant(grant: ReserveGrant__Output): Grant {
  const { holdNano, requestCostLimitNano, ownContentOnly } = grant;
  return {
    holdNano: BigInt(holdNano),
    requestCostLimitNano: requestCostLimitNano === undefined ? undefined : BigInt(requestCostLimitNano),
    ownContentOnly,
    rates: fromProtoRates(grant),
  };
}
