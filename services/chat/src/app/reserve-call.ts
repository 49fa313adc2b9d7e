import {
  admitFree,
  type Cells,
  type FreeCall,
  freeRequest,
  type HoldIdentity,
  holdRequest,
  type Owner,
  type ReserveClient,
  releasedEvent,
  type UsageEvent,
  type UsageOutbox,
} from '@gateway/call-billing';
import { GatewayError, type RateFigures, rateHeaders } from '@gateway/errors';
import type { KeyScope } from '@gateway/models';
import { toInt64 } from '@gateway/money';
import { outputWithin, type TokenPrice } from '@gateway/pricing';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { fromProtoRates, type RequestContext } from '@gateway/rpc';
import type { ExpectedOutputs } from '../domain/expected-outputs';
import type { Model } from '../domain/model';
import type { DispatchedCall } from '../domain/settlement-event';
import type { UpperBound } from '../domain/upper-bound';
import type { UsageJournal } from '../journal/usage-journal';
import { MeteredChatCall } from './metered-chat-call';
import { RateReporter } from './rate-reporter';

export interface AdmissionDeps {
  readonly cells: Cells<{ readonly reserve: ReserveClient; readonly outbox: UsageOutbox }>;
  readonly journal: UsageJournal;
  readonly outputs: ExpectedOutputs;
}

export interface AdmissionRequest {
  readonly key: KeyContext__Output;
  readonly model: Model;
  /** The model that the client named, if this one is its fallback model. */
  readonly requestedModel?: string;
  /** The client named the model without its provider, which the key must allow. */
  readonly bareModelName: boolean;
  readonly provider: string;
  readonly endpoint: string;
  /** Scopes that the call needs for the content that it refers to; absent: none. */
  readonly contentScopes?: readonly KeyScope[] | undefined;
  readonly streamed: boolean;
  readonly price: TokenPrice;
  /** The price without the requested service tier, if one was requested. */
  readonly standardPrice: TokenPrice | undefined;
  readonly priceVersion: bigint;
  readonly bound: UpperBound;
  /** Estimated, for the key's TPM limit. */
  readonly promptTokens: number;
  readonly choices: number;
  /** UTF-8 bytes of the predicted output per choice, an upper bound of its tokens: reserved in addition to the output. */
  readonly predictionBytes: number;
  readonly callerNamedMaximum: boolean;
  /** Whether a refusal would reach the client, so that it is worth waiting for the settlement of calls that have ended. */
  readonly waitsForSettlements: boolean;
  /** Only the provider's figures tell what the call uses. */
  readonly usageIsHidden: boolean;
}

/** A call that may be dispatched. */
export interface Admitted extends PaidOutput {
  readonly metered: MeteredChatCall;
  /** Absent if the key has no TPM limit. */
  readonly rateReport: RateReporter | undefined;
  /** The key's remaining rates, for the response if the call fails. */
  readonly rates: RateFigures;
  /** Response headers with the rates and a lowered output. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Admits paid calls: requires space in the journal and a hold at billing, and returns the object that ends the hold. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #owner: Owner;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#owner = deps.journal.owner;
  }

  /** @throws GatewayError billing's refusal, or `internal_error` when the usage could not be recorded */
  async admit(context: RequestContext, request: AdmissionRequest): Promise<Admitted> {
    const { journal, cells, outputs } = this.#deps;
    const { cell } = request.key;
    const { outbox, reserve } = cells.of(cell);
    if (!journal.admits || !outbox.admits(Date.now())) {
      throw new GatewayError('internal_error', {
        cause: new Error('the journal is full, or usage events are not delivered'),
      });
    }
    const startedAtMs = Date.now();
    const { bound } = request;
    const { keyId } = request.key;
    const { slug } = request.model;
    const promptTokens = Math.min(request.promptTokens, bound.inputTokens);
    const expectedTokens = outputs.expect(keyId, slug, bound.outputTokens);
    const hold = holdRequest(context.requestId, this.#owner, {
      key: request.key,
      model: request.model,
      endpoint: request.endpoint,
      contentScopes: request.contentScopes,
      bareModelName: request.bareModelName,
      boundNano: toInt64(bound.costNano),
      floorNano: toInt64(bound.floorCostNano),
      boundTokens: promptTokens + expectedTokens,
      floorTokens: promptTokens,
      callerNamedMaximum: request.callerNamedMaximum,
    });
    const grant = await (request.waitsForSettlements
      ? reserve.reserveWithSettlementRetries(hold, context.signal)
      : reserve.reserve(hold));
    const call: DispatchedCall = {
      requestId: context.requestId,
      accountId: request.key.accountId,
      keyId,
      cell,
      model: slug,
      provider: request.provider,
      endpoint: request.endpoint,
      streamed: request.streamed,
      price: request.price,
      ...(request.standardPrice && { standardPrice: request.standardPrice }),
      priceVersion: request.priceVersion,
      startedAtMs,
      admittedMs: Date.now() - startedAtMs,
      holdNano: BigInt(grant.holdNano),
      usageIsHidden: request.usageIsHidden,
      ...(request.requestedModel !== undefined && { requestedModel: request.requestedModel }),
    };
    const output = paidOutput(BigInt(grant.holdNano), request);
    const rates = fromProtoRates(grant);
    const onFinal = (event: UsageEvent) => {
      outbox.add(event);
      if (event.outcome === 'USAGE_OUTCOME_SETTLED') {
        outputs.learn(keyId, event.model, Number(event.tokens?.output ?? 0));
      }
    };
    const { requestId } = context;
    const { rateReservation: reservation } = grant;
    return {
      metered: new MeteredChatCall(call, journal, onFinal),
      rateReport: reservation
        ? new RateReporter({ requestId, keyId, reservation, promptTokens, expectedTokens }, (report) =>
            reserve.report(report),
          )
        : undefined,
      ...output,
      rates,
      headers: { ...rateHeaders(rates), ...maxTokensHeader(output) },
    };
  }

  /** Admits a call that costs nothing: counts it against the key's RPM. Returns response headers. */
  admitFree(context: RequestContext, call: FreeCall): Promise<Record<string, string>> {
    return admitFree(this.#deps.cells.of(call.key.cell).reserve, context.requestId, call);
  }

  /** The same; returns the key's rates. */
  async ratesOfFree(context: RequestContext, call: FreeCall): Promise<RateFigures> {
    const { reserve } = this.#deps.cells.of(call.key.cell);
    return fromProtoRates(await reserve.reserve(freeRequest(context.requestId, call)));
  }

  /** Releases a hold of which it is unknown whether it exists. */
  async releaseUnconfirmed(call: HoldIdentity): Promise<void> {
    const end = { errorCode: 'internal_error', status: 500, endedAtMs: Date.now() };
    const event = releasedEvent(call, end);
    await this.#deps.journal.final(event);
    this.#deps.cells.of(event.cell).outbox.add(event);
  }
}

/** The output that a hold pays for. */
export interface PaidOutput {
  /** Tokens per choice to request from the provider, if fewer than requested. */
  readonly loweredMaxTokens: number | undefined;
  /** Tokens of all choices. */
  readonly outputTokens: number;
}

/** Lowers nothing if the hold covers the whole bound, which may exceed the model's maximum where only the context ends the output. */
export function paidOutput(
  holdNano: bigint,
  {
    model,
    bound,
    price,
    choices,
    predictionBytes,
  }: Pick<AdmissionRequest, 'model' | 'bound' | 'price' | 'choices' | 'predictionBytes'>,
): PaidOutput {
  const outputTokens = outputWithin(holdNano, bound.inputTokens, price, bound.units, bound.audioTokens);
  if (outputTokens >= bound.outputTokens)
    return { loweredMaxTokens: undefined, outputTokens: bound.outputTokens };
  const lowered = Math.min(Math.floor(outputTokens / choices) - predictionBytes, model.maxOutputTokens);
  return { loweredMaxTokens: lowered, outputTokens: (lowered + predictionBytes) * choices };
}

/** Returns the response header that tells the client of a lowered output. */
export const maxTokensHeader = ({ loweredMaxTokens: lowered }: PaidOutput): Record<string, string> =>
  lowered === undefined ? {} : { 'x-gateway-max-tokens': String(lowered) };
