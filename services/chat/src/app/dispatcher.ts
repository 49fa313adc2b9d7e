import type { HttpResponse } from '@gateway/http-client';
import type { RequestContext } from '@gateway/rpc';
import {
  type Failover,
  nameProviderRequest,
  routeName,
  type SessionPins,
  type Unanswered,
  UpstreamError,
} from '@gateway/upstream';
import type { Route } from '../domain/route';
import { estimateInput } from '../domain/upper-bound';
import type { TargetMetrics } from '../metrics';
import type { AdmittedCall, ModelCall } from './admitted-call';
import { beginStream } from './begin-stream';
import type { ProviderClient } from './provider-client';
import { bodyOrUndefined, upstreamBody } from './upstream-body';

/** A call that a provider has started to answer. */
export interface StartedReply {
  /** The call to the model that answers: the admitted one, or one of its fallbacks. */
  readonly call: ModelCall;
  readonly route: Route;
  /** The request body that was sent. */
  readonly body: Buffer;
  readonly reply: HttpResponse['body'];
  /** Of the provider's response. */
  readonly headers: HttpResponse['headers'];
}

/** What a route has started to answer. */
type BegunReply = Omit<StartedReply, 'call' | 'route'>;

export interface DispatcherDeps {
  readonly failover: Pick<Failover, 'firstAnswer'>;
  readonly providerClient: Pick<ProviderClient, 'send' | 'timeoutsOf'>;
  /** How long after dispatch a stream without content is buffered. */
  readonly keepAliveMs: number;
  readonly sessions: Pick<SessionPins, 'set'>;
  readonly metrics: Pick<TargetMetrics, 'fellBack'>;
}

/** Finds the provider that answers a call. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /**
   * Sends the call along its routes, then along those of its fallback models, until one answers, a stream with its first content.
   * Nothing has reached the client until then, so a failure costs only time. Routes that cannot carry the call are skipped: at least one can, or the call
   * would not have been admitted.
   * @param signal aborted to cancel the provider's call; default: when the client disconnects
   * @throws UpstreamError the failure of the requested model for which a retry is most promising; the abort reason, if the client disconnected
   */
  async begin(context: RequestContext, call: AdmittedCall, signal = context.signal): Promise<StartedReply> {
    const options = { signal, bufferUntilMs: performance.now() + this.#deps.keepAliveMs };
    const begun = await this.#beginAtModel(context, call, options);
    if ('reply' in begun) return begun;
    // A call that the client must change is not another model's either.
    if ('error' in begun) throw begun.error;
    for (const fallback of call.fallbacks) {
      const answered = await this.#beginAtModel(context, fallback, options);
      if ('reply' in answered) return answered;
    }
    throw new UpstreamError(begun.failure);
  }

  async #beginAtModel(
    context: RequestContext,
    call: ModelCall,
    options: SendOptions,
  ): Promise<StartedReply | Unanswered<Route>> {
    const { accountId, routes, session, request, model } = call;
    const begun = await this.#deps.failover.firstAnswer({
      accountId,
      routes,
      log: context.log,
      client: context.signal,
      inputTokens: () => estimateInput(request.size),
      requestTo: (route: Route) => {
        const body = bodyFor(call, route);
        return body && ((onClose) => this.#begin(context, call, route, body, { ...options, onClose }));
      },
    });
    if (!('answer' in begun)) return begun;
    const { route, answer } = begun;
    if (call.requestedModel !== undefined) this.#deps.metrics.fellBack(call.requestedModel, model.slug);
    // Otherwise the next call of the session finds the same route by itself.
    const isUnexpected = route !== routes[0] || model.strategy !== 'weighted';
    if (session !== undefined && isUnexpected) this.#deps.sessions.set(session, routeName(route));
    return { call, route, ...answer };
  }

  async #begin(
    context: RequestContext,
    { request }: ModelCall,
    route: Route,
    body: Buffer,
    { signal, bufferUntilMs, onClose }: SendOptions & { readonly onClose: () => void },
  ): Promise<BegunReply> {
    const { providerClient } = this.#deps;
    const { provider, target } = route;
    const timeouts = providerClient.timeoutsOf(route);
    const beginByMs = performance.now() + timeouts.firstByteMs;
    const response = await providerClient.send(context, route, {
      address: provider.address({
        upstreamModel: target.upstreamModel,
        stream: request.stream,
        callerHeaders: request.passThroughHeaders,
        body,
      }),
      accept: request.stream ? 'text/event-stream' : 'application/json',
      body,
      signal,
      timeouts,
      onClose,
    });
    const { headers } = response;
    if (!request.stream) return { body, reply: response.body, headers };
    const events = provider.toEvents?.(response.body) ?? response.body;
    const opening = { provider, headers, beginByMs, bufferUntilMs, caller: context.signal };
    const reply = await beginStream(events, opening).catch((error: unknown) => {
      nameProviderRequest(error, headers);
      throw error;
    });
    return { body, reply, headers };
  }
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly bufferUntilMs: number;
}

/** Undefined if the route's provider cannot carry the call. */
function bodyFor(call: ModelCall, route: Route): Buffer | undefined {
  const { request, model, loweredMaxTokens } = call;
  if (call.body && route === call.routes[0] && loweredMaxTokens === undefined) return call.body;
  return bodyOrUndefined(() => upstreamBody(request, model, route, loweredMaxTokens));
}
