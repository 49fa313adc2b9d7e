import { GatewayError } from '@gateway/errors';
import { type HttpResponse, NOT_SENT } from '@gateway/http-client';
import type { LinkReply } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import {
  type CredentialLimiter,
  failureOf,
  nameProviderRequest,
  toGatewayError,
  UpstreamError,
} from '@gateway/upstream';
import type { ReplyMemory } from '../domain/reply-memory';
import type { Route } from '../domain/route';
import { providerCostNano } from '../domain/settlement-event';
import { NO_USAGE, type TokenUsage } from '../domain/usage';
import type { WholeReplyCall, WholeReplyProtocol } from '../domain/whole-reply-call';
import type { TargetMetrics } from '../metrics';
import { readReplyBytes } from '../providers/read-reply';
import { type AnswerBufferedDeps, answerBuffered, type SettledReply } from './answer-buffered';
import { ANSWERED, CLIENT_DISCONNECTED, failedBy, isUncharged } from './call-outcome';
import { type PlannedWholeReply, wholeReplyBody } from './plan-whole-reply';
import type { Admitted } from './reserve-call';
import { type Answered, bodyOrUndefined, type RouteCaller } from './route-caller';

/** A call that has a hold. */
export interface AdmittedWholeReply
  extends Pick<Admitted, 'metered' | 'rates' | 'headers'>,
    Pick<PlannedWholeReply, 'request' | 'model' | 'routes' | 'body' | 'estimatedTokens'> {
  readonly accountId: string;
}

export interface WholeReplyRunnerDeps extends AnswerBufferedDeps {
  readonly caller: Pick<RouteCaller, 'firstAnswer' | 'send' | 'timeoutsOf'>;
  readonly limiter: Pick<CredentialLimiter, 'addCost'>;
  readonly metrics: Pick<TargetMetrics, 'clientDisconnected'>;
}

type Begun = Answered<HttpResponse>;

/** Sends admitted calls for vectors, moderations and rankings to their providers and returns the replies, metered. */
export class WholeReplyRunner {
  readonly #deps: WholeReplyRunnerDeps;

  constructor(deps: WholeReplyRunnerDeps) {
    this.#deps = deps;
  }

  /** Ends the call's record in every case. @throws GatewayError */
  async send(context: RequestContext, call: AdmittedWholeReply): Promise<LinkReply> {
    let begun: Begun | undefined;
    try {
      await call.metered.dispatched(call.estimatedTokens);
      if (context.signal.aborted) throw Object.assign(new Error('client disconnected'), { code: NOT_SENT });
      const answered = await this.#begin(context, call);
      begun = answered;
      const { route } = answered;
      return await answerBuffered(this.#deps, context, {
        route,
        accountId: call.accountId,
        headers: call.headers,
        readAndSettle: (memory) => this.#readAndSettle(context, call, answered, memory),
        settleUnread: () => this.#settleCounted(context, call, route),
      });
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : toGatewayError(failureOf(thrown));
      nameProviderRequest(error.cause, begun?.answer.headers ?? {});
      await this.#endUnanswered(context, call, thrown, error);
      throw error.withRates(call.rates);
    }
  }

  async #begin(context: RequestContext, call: AdmittedWholeReply): Promise<Begun> {
    const { caller } = this.#deps;
    const { accountId, routes, request, body: firstBody, estimatedTokens } = call;
    const begun = await caller.firstAnswer(context, {
      accountId,
      routes,
      inputTokens: () => estimatedTokens,
      bodyFor: (route) =>
        route === routes[0] ? firstBody : bodyOrUndefined(() => wholeReplyBody(request, route)),
      begin: (route, body, onClose) =>
        caller.send(context, route, {
          address: protocolOf(request, route).address(route.target.upstreamModel),
          accept: 'application/json',
          body,
          signal: context.signal,
          timeouts: caller.timeoutsOf(route),
          onClose,
        }),
    });
    if (!('answer' in begun)) throw new UpstreamError(begun);
    return begun;
  }

  async #readAndSettle(
    context: RequestContext,
    call: AdmittedWholeReply,
    { route, answer }: Begun,
    memory: ReplyMemory,
  ): Promise<SettledReply> {
    const { metered, request, model } = call;
    metered.answeredBy(route.provider.id, route.target.cost);
    const bytes = await readReplyBytes(answer.body, memory);
    // Converted before it is settled: an unreadable reply is not charged.
    const { usage, source, body } = await protocolOf(request, route).readReply(bytes, model);
    if (context.signal.aborted) this.#deps.metrics.clientDisconnected('charged');
    const outcome = context.signal.aborted ? CLIENT_DISCONNECTED : ANSWERED;
    this.#countCost(route, usage);
    await metered.settle(usage, source, outcome);
    return { body, costNano: metered.chargedNano(usage) };
  }

  async #settleCounted(
    context: RequestContext,
    { metered, request, model }: AdmittedWholeReply,
    route: Route,
  ): Promise<void> {
    const outcome = context.signal.aborted
      ? CLIENT_DISCONNECTED
      : failedBy(new GatewayError('upstream_failed'));
    const usage = request.countUsage(model);
    this.#countCost(route, usage);
    await metered.settle(usage, 'counted', outcome);
  }

  /** Counts a reply for the daily cost limit of its credential. A target without a cost costs nothing. */
  #countCost(route: Route, usage: TokenUsage): void {
    const { cost } = route.target;
    if (cost) this.#deps.limiter.addCost(route, providerCostNano(cost, usage));
  }

  /**
   * Ends a call without a reply, unless it is settled already. One that its client abandoned is free; what it may have cost is an
   * operator loss.
   */
  async #endUnanswered(
    context: RequestContext,
    { metered, model, estimatedTokens }: AdmittedWholeReply,
    thrown: unknown,
    error: GatewayError,
  ): Promise<void> {
    if (!context.signal.aborted) {
      await metered.release(failedBy(error));
      context.log.warn({ model: model.slug, code: error.code, err: error.cause }, 'provider failed');
    } else if (isUncharged(thrown)) await metered.release(CLIENT_DISCONNECTED);
    else {
      this.#deps.metrics.clientDisconnected('cancelled');
      await metered.abandon({ ...NO_USAGE, input: estimatedTokens }, CLIENT_DISCONNECTED);
    }
  }
}

/** Returns the protocol of a route for which a request has been written. */
function protocolOf(request: WholeReplyCall, { provider }: Route): WholeReplyProtocol {
  const protocol = request.protocolOf(provider);
  if (!protocol) throw new Error(`${provider.id} has no ${request.output} models`);
  return protocol;
}
