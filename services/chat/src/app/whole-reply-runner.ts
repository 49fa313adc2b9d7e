import { ANSWERED, CLIENT_DISCONNECTED, failedBy } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { HttpResponse } from '@gateway/http-client';
import type { LinkReply } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import { type Answered, type CredentialLimiter, type Failover, UpstreamError } from '@gateway/upstream';
import type { ReplyMemory } from '../domain/reply-memory';
import type { Route } from '../domain/route';
import { NO_USAGE } from '../domain/usage';
import type { WholeReplyCall, WholeReplyProtocol } from '../domain/whole-reply-call';
import type { TargetMetrics } from '../metrics';
import { readReplyBytes } from '../providers/read-reply';
import { type AnswerBufferedDeps, answerBuffered, type SettledReply } from './answer-buffered';
import { dispatch, endUnanswered } from './end-unanswered';
import { countUse } from './final-usage';
import { type PlannedWholeReply, wholeReplyBody } from './plan-whole-reply';
import type { ProviderClient } from './provider-client';
import type { Admitted } from './reserve-call';
import { bodyOrUndefined } from './upstream-body';

/** A call that has a hold. */
export interface AdmittedWholeReply
  extends Pick<Admitted, 'metered' | 'rates' | 'headers'>,
    Pick<PlannedWholeReply, 'request' | 'model' | 'routes' | 'body' | 'estimatedTokens'> {
  readonly accountId: string;
}

export interface WholeReplyRunnerDeps extends AnswerBufferedDeps {
  readonly failover: Pick<Failover, 'firstAnswer'>;
  readonly providerClient: Pick<ProviderClient, 'send' | 'timeoutsOf'>;
  readonly limiter: Pick<CredentialLimiter, 'addOutput' | 'addCost'>;
  readonly metrics: Pick<TargetMetrics, 'clientDisconnected'>;
}

type Begun = Answered<Route, HttpResponse>;

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
      await dispatch(context, call.metered, call.estimatedTokens);
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
      const unanswered = { ...call, usageIsHidden: false, abandon: () => this.#abandon(call) };
      const error = await endUnanswered(context, unanswered, thrown, begun?.answer.headers);
      throw error.withRates(call.rates);
    }
  }

  async #begin(context: RequestContext, call: AdmittedWholeReply): Promise<Begun> {
    const { failover, providerClient } = this.#deps;
    const { accountId, routes, request, body: firstBody, estimatedTokens } = call;
    const begun = await failover.firstAnswer({
      accountId,
      routes,
      log: context.log,
      client: context.signal,
      inputTokens: () => estimatedTokens,
      requestTo: (route: Route) => {
        const body = route === routes[0] ? firstBody : bodyOrUndefined(() => wholeReplyBody(request, route));
        return (
          body &&
          (async (onClose) =>
            providerClient.send(context, route, {
              address: protocolOf(request, route).address(route.target.upstreamModel),
              accept: 'application/json',
              body,
              signal: context.signal,
              timeouts: providerClient.timeoutsOf(route),
              onClose,
            }))
        );
      },
    });
    if ('answer' in begun) return begun;
    throw 'error' in begun ? begun.error : new UpstreamError(begun.failure);
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
    countUse(this.#deps.limiter, route, usage);
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
    countUse(this.#deps.limiter, route, usage);
    await metered.settle(usage, 'counted', outcome);
  }

  /** Ends a call that its client abandoned: free, and what it may have cost is an operator loss. */
  #abandon({ metered, estimatedTokens }: AdmittedWholeReply): Promise<unknown> {
    this.#deps.metrics.clientDisconnected('cancelled');
    return metered.abandon({ ...NO_USAGE, input: estimatedTokens }, CLIENT_DISCONNECTED);
  }
}

/** Returns the protocol of a route for which a request has been written. */
function protocolOf(request: WholeReplyCall, { provider }: Route): WholeReplyProtocol {
  const protocol = request.protocolOf(provider);
  if (!protocol) throw new Error(`${provider.id} has no ${request.output} models`);
  return protocol;
}
