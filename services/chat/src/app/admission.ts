import {
  freeRequest,
  type Owner,
  type ReserveClient,
  releasedEvent,
  type UsageEvent,
  type UsageRelay,
} from '@gateway/call-billing';
import { GatewayError, type RateFigures, rateHeaders } from '@gateway/errors';
import { toInt64 } from '@gateway/money';
import type { ReserveGrant__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveGrant';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { fromProtoRates, type RequestContext } from '@gateway/rpc';
import type { ExpectedOutputs } from '../domain/expected-outputs';
import type { Model, TokenPrice } from '../domain/model';
import { outputWithin } from '../domain/price';
import type { UpperBound } from '../domain/upper-bound';
import type { DispatchedCall } from '../domain/usage-event';
import type { Journal } from '../journal/journal';
import { MeteredCall } from './metered-call';
import { RateReport } from './rate-report';

export interface AdmissionDeps {
  readonly reserve: ReserveClient;
  readonly journal: Journal;
  readonly relay: UsageRelay;
  readonly outputs: ExpectedOutputs;
}

export interface AdmissionRequest {
  readonly key: KeyContext__Output;
  readonly model: Model;
  /** The caller named it without its provider, which the key must allow. */
  readonly bareModelName: boolean;
  readonly provider: string;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly price: TokenPrice;
  /** Where a service tier was asked for: the price without it. */
  readonly standardPrice: TokenPrice | undefined;
  readonly priceVersion: bigint;
  readonly bound: UpperBound;
  /** Estimate, for the key's TPM limit. */
  readonly promptTokens: number;
  readonly choices: number;
  /** Of a predicted output, in each choice: held beside the output that the provider is asked for. */
  readonly predictionBytes: number;
  readonly callerNamedMaximum: boolean;
  /** A refusal is the caller's answer: the settlement of calls that may have ended is worth waiting for. */
  readonly isLast: boolean;
  /** Only the provider's figures tell what it uses. */
  readonly usageIsHidden: boolean;
}

/** A call that may be dispatched. */
export interface Admitted {
  readonly metered: MeteredCall;
  /** Absent: its key has no TPM limit. */
  readonly rateReport: RateReport | undefined;
  /** Output per choice that the hold pays for, when that is less than what was asked for. */
  readonly loweredMaxTokens: number | undefined;
  /** Of all choices together, as far as it is paid for. */
  readonly outputTokens: number;
  /** What its key has left, for the answer if the call fails. */
  readonly rates: RateFigures;
  /** What the caller is told of its rates and of a lowered output. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The gate in front of every paid call: a journal with room, a hold at billing, and who ends it. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #owner: Owner;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#owner = deps.journal.owner;
  }

  /** @throws GatewayError billing's refusal, or `internal_error` when nobody can vouch for the bill */
  async admit(context: RequestContext, request: AdmissionRequest): Promise<Admitted> {
    const { journal, relay, reserve, outputs } = this.#deps;
    if (!journal.admits || !relay.admits(Date.now())) {
      throw new GatewayError('internal_error', { cause: new Error('bills pile up') });
    }
    const startedAtMs = Date.now();
    const { bound } = request;
    const { keyId } = request.key;
    const { slug } = request.model;
    const promptTokens = Math.min(request.promptTokens, bound.inputTokens);
    const expectedTokens = outputs.expect(keyId, slug, bound.outputTokens);
    const hold = {
      requestId: context.requestId,
      accountId: request.key.accountId,
      keyId,
      valueId: request.key.valueId,
      model: slug,
      bareModelName: request.bareModelName,
      ownerId: this.#owner.id,
      ownerEpoch: this.#owner.epoch.toString(),
      boundNano: toInt64(bound.costNano),
      floorNano: toInt64(bound.floorCostNano),
      boundTokens: promptTokens + expectedTokens,
      floorTokens: promptTokens,
      callerNamedMaximum: request.callerNamedMaximum,
    };
    const grant = await (request.isLast
      ? reserve.reserveSettled(hold, context.signal)
      : reserve.reserve(hold));
    const call: DispatchedCall = {
      requestId: context.requestId,
      accountId: request.key.accountId,
      keyId,
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
    };
    const lowered = loweredMaxTokens(grant, request);
    const { choices, predictionBytes } = request;
    const rates = fromProtoRates(grant);
    const onFinal = (event: UsageEvent) => {
      relay.add(event);
      if (event.outcome === 'USAGE_OUTCOME_SETTLED') {
        outputs.learn(keyId, slug, Number(event.tokens?.output ?? 0));
      }
    };
    const { requestId } = context;
    const { rateReservation: reservation } = grant;
    return {
      metered: new MeteredCall(call, journal, onFinal),
      rateReport: reservation
        ? new RateReport({ requestId, keyId, reservation, promptTokens, expectedTokens }, (report) =>
            reserve.report(report),
          )
        : undefined,
      loweredMaxTokens: lowered,
      outputTokens: lowered === undefined ? bound.outputTokens : (lowered + predictionBytes) * choices,
      rates,
      headers: {
        ...rateHeaders(rates),
        ...(lowered !== undefined && { 'x-gateway-max-tokens': String(lowered) }),
      },
    };
  }

  /** For calls that cost nothing: takes the key's request rate alone. Resolves to headers for the answer. */
  async admitFree(context: RequestContext, key: KeyContext__Output): Promise<Record<string, string>> {
    const grant = await this.#deps.reserve.reserve(freeRequest(context.requestId, key));
    return rateHeaders(fromProtoRates(grant));
  }

  /** For a hold of which nobody knows whether it was made. */
  async giveBack(call: {
    requestId: string;
    accountId: string;
    keyId: string;
    model: string;
  }): Promise<void> {
    await this.#end(releasedEvent(call, { errorCode: 'internal_error', status: 500, endedAtMs: Date.now() }));
  }

  async #end(event: UsageEvent): Promise<void> {
    await this.#deps.journal.final(event);
    this.#deps.relay.add(event);
  }
}

/** Undefined when the whole bound was granted, which is more than the model has where only the context ends it. */
function loweredMaxTokens(grant: ReserveGrant__Output, request: AdmissionRequest): number | undefined {
  const { bound, price, choices, predictionBytes } = request;
  const outputTokens = outputWithin(BigInt(grant.holdNano), bound.inputTokens, price);
  if (outputTokens >= bound.outputTokens) return undefined;
  return Math.min(Math.floor(outputTokens / choices) - predictionBytes, request.model.maxOutputTokens);
}
