import { GatewayError } from '@gateway/errors';
import { type HttpResponse, NOT_SENT } from '@gateway/http-client';
import type { LinkReply } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import { type CredentialLimiter, failureOf, toGatewayError, UpstreamError } from '@gateway/upstream';
import type { EmbeddingProtocol, WriteEmbeddings } from '../domain/embedding';
import { countTokens } from '../domain/embedding-size';
import type { ReplyMemory } from '../domain/reply-memory';
import type { Route } from '../domain/route';
import { providerCostNano } from '../domain/settlement-event';
import { NO_USAGE } from '../domain/usage';
import type { Vector } from '../domain/vector';
import { parseWithoutNumbers, type WithoutNumbers } from '../json/number-lists';
import type { TargetMetrics } from '../metrics';
import { readReplyBytes } from '../providers/read-reply';
import { type AnswerBufferedDeps, answerBuffered, type SettledReply } from './answer-buffered';
import { ANSWERED, CLIENT_DISCONNECTED, failedBy, isUncharged } from './call-outcome';
import { embeddingBody, type PlannedEmbeddings } from './plan-embeddings';
import type { Admitted } from './reserve-call';
import { type Answered, bodyOrUndefined, type RouteCaller } from './route-caller';

/** A call for embeddings that has a hold. */
export interface AdmittedEmbeddings
  extends Pick<Admitted, 'metered' | 'rates' | 'headers'>,
    Pick<PlannedEmbeddings, 'request' | 'model' | 'routes' | 'body' | 'estimatedTokens'> {
  readonly accountId: string;
  readonly write: WriteEmbeddings;
}

export interface EmbeddingRunnerDeps extends AnswerBufferedDeps {
  readonly caller: Pick<RouteCaller, 'firstAnswer' | 'send' | 'timeoutsOf'>;
  readonly limiter: Pick<CredentialLimiter, 'addCost'>;
  readonly metrics: Pick<TargetMetrics, 'clientDisconnected'>;
}

type Begun = Answered<HttpResponse['body']>;

/** Sends admitted calls for embeddings to their providers and returns the replies, metered. */
export class EmbeddingRunner {
  readonly #deps: EmbeddingRunnerDeps;

  constructor(deps: EmbeddingRunnerDeps) {
    this.#deps = deps;
  }

  /** Ends the call's record in every case. @throws GatewayError */
  async send(context: RequestContext, call: AdmittedEmbeddings): Promise<LinkReply> {
    try {
      await call.metered.dispatched(call.estimatedTokens);
      if (context.signal.aborted) throw Object.assign(new Error('client disconnected'), { code: NOT_SENT });
      const begun = await this.#begin(context, call);
      return await answerBuffered(this.#deps, context, {
        route: begun.route,
        accountId: call.accountId,
        headers: call.headers,
        readAndSettle: (memory) => this.#readAndSettle(context, call, begun, memory),
        settleUnread: () => this.#settleCounted(context, call, begun.route),
      });
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : toGatewayError(failureOf(thrown));
      await this.#endUnanswered(context, call, thrown, error);
      throw error.withRates(call.rates);
    }
  }

  async #begin(context: RequestContext, call: AdmittedEmbeddings): Promise<Begun> {
    const { caller } = this.#deps;
    const { accountId, routes, request, body: firstBody, estimatedTokens } = call;
    const begun = await caller.firstAnswer(context, {
      accountId,
      routes,
      inputTokens: () => estimatedTokens,
      bodyFor: (route) =>
        route === routes[0] ? firstBody : bodyOrUndefined(() => embeddingBody(request, route)),
      begin: async (route, body, onClose) => {
        const response = await caller.send(context, route, {
          address: protocolOf(route).address(route.target.upstreamModel),
          accept: 'application/json',
          body,
          signal: context.signal,
          timeouts: caller.timeoutsOf(route),
          onClose,
        });
        return response.body;
      },
    });
    if (!('answer' in begun)) throw new UpstreamError(begun);
    return begun;
  }

  async #readAndSettle(
    context: RequestContext,
    call: AdmittedEmbeddings,
    { route, answer }: Begun,
    memory: ReplyMemory,
  ): Promise<SettledReply> {
    const { metered, request, model } = call;
    metered.answeredBy(route.provider.id, route.target.cost);
    const parsed = parseWithoutNumbers(await readReplyBytes(answer, memory));
    const { vectors, inputTokens: reported } = protocolOf(route).readReply(parsed.value, vectorsOf(parsed));
    if (vectors.length !== request.inputs.list.length) throw new Error('reply has another number of vectors');
    // No input is empty, so zero is no figure.
    const inputTokens = reported || countTokens(request.inputs, model.contextLength);
    // Converted before it is settled: an unreadable reply is not charged.
    const { encoding } = request;
    const body = await call.write({ model: model.slug, vectors, encoding, inputTokens });
    const source = reported ? 'provider' : 'counted';
    if (context.signal.aborted) this.#deps.metrics.clientDisconnected('charged');
    const outcome = context.signal.aborted ? CLIENT_DISCONNECTED : ANSWERED;
    this.#countCost(route, inputTokens);
    const usage = { ...NO_USAGE, input: inputTokens };
    await metered.settle(usage, source, outcome);
    return { body, costNano: metered.chargedNano(usage) };
  }

  async #settleCounted(
    context: RequestContext,
    { metered, request, model }: AdmittedEmbeddings,
    route: Route,
  ): Promise<void> {
    const outcome = context.signal.aborted
      ? CLIENT_DISCONNECTED
      : failedBy(new GatewayError('upstream_failed'));
    const input = countTokens(request.inputs, model.contextLength);
    this.#countCost(route, input);
    await metered.settle({ ...NO_USAGE, input }, 'counted', outcome);
  }

  /** Counts a reply for the daily cost limit of its credential. A target without a cost costs nothing. */
  #countCost(route: Route, input: number): void {
    const { cost } = route.target;
    if (cost) this.#deps.limiter.addCost(route, providerCostNano(cost, { ...NO_USAGE, input }));
  }

  /**
   * Ends a call without a reply, unless it is settled already. One that its client abandoned is free; what it may have cost is an
   * operator loss.
   */
  async #endUnanswered(
    context: RequestContext,
    { metered, model, estimatedTokens }: AdmittedEmbeddings,
    thrown: unknown,
    error: GatewayError,
  ): Promise<void> {
    if (!context.signal.aborted) {
      await metered.release(failedBy(error));
      context.log.warn({ model: model.slug, code: error.code, err: error.cause }, 'provider failed');
    } else if (isUncharged(thrown)) await metered.release(CLIENT_DISCONNECTED);
    else {
      this.#deps.metrics.clientDisconnected('cancelled');
      await metered.abandon(estimatedTokens, CLIENT_DISCONNECTED);
    }
  }
}

/** Returns the protocol of a route for which a request has been written. */
function protocolOf({ provider }: Route): EmbeddingProtocol {
  if (!provider.embeddings) throw new Error(`${provider.id} has no embeddings`);
  return provider.embeddings;
}

/** Returns how the vectors of a reply are read. */
const vectorsOf =
  ({ lists }: WithoutNumbers) =>
  (value: unknown): Vector => {
    if (typeof value === 'string') return { base64: value };
    const json = Array.isArray(value) ? lists[value[0]] : undefined;
    if (!json) throw new Error('reply does not match its format');
    return { json };
  };
