import { GatewayError } from '@gateway/errors';
import type { HttpClient, HttpResponse, HttpTimeouts } from '@gateway/http-client';
import type { RequestContext } from '@gateway/rpc';
import {
  type CredentialLimiter,
  failureOf,
  isClientError,
  preferRetryable,
  routeName,
  type SessionPins,
  type TargetHealth,
  timeoutsOfTarget,
  UpstreamError,
  type UpstreamFailure,
} from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { Route } from '../domain/route';
import { estimateInput } from '../domain/upper-bound';
import type { TargetMetrics } from '../metrics';
import { readRefusalBody } from '../providers/read-reply';
import { failureBy } from '../providers/refusal';
import type { AdmittedCall, ModelCall } from './admitted-call';
import { beginStream } from './begin-stream';
import { upstreamBody } from './upstream-body';

/** A call that a provider has started to answer. */
export interface StartedReply {
  /** The call to the model that answers: the admitted one, or one of its fallbacks. */
  readonly call: ModelCall;
  readonly route: Route;
  /** The request body that was sent. */
  readonly body: Buffer;
  readonly reply: HttpResponse['body'];
}

export interface DispatcherDeps {
  readonly upstream: Pick<HttpClient, 'send'>;
  readonly timeouts: HttpTimeouts;
  /**
   * How long after dispatch a stream without content is buffered. Also the time without bytes after which a reply yields an empty
   * piece, for a keep-alive to the client.
   */
  readonly keepAliveMs: number;
  readonly health: TargetHealth;
  readonly limiter: Pick<CredentialLimiter, 'isSpent' | 'waitMs' | 'enter' | 'leave'>;
  readonly sessions: Pick<SessionPins, 'set'>;
  readonly metrics: TargetMetrics;
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
    const fallbacks = isClientError(begun) ? [] : call.fallbacks;
    for (const fallback of fallbacks) {
      const answered = await this.#beginAtModel(context, fallback, options);
      if ('reply' in answered) return answered;
    }
    throw new UpstreamError(begun);
  }

  /** Returns the failure for which a retry is most promising if no route of the model answers. */
  async #beginAtModel(
    context: RequestContext,
    call: ModelCall,
    options: SendOptions,
  ): Promise<StartedReply | UpstreamFailure> {
    const { health, limiter, sessions, metrics } = this.#deps;
    const inputTokens = inputTokensOf(call.request);
    let failure: UpstreamFailure | undefined;
    for (const route of health.inOrder(call.routes)) {
      const body = bodyFor(call, route);
      if (!body) continue;
      const limited = limitOf(limiter, route, inputTokens);
      if (limited) {
        failure = failure ? preferRetryable(failure, limited) : limited;
        continue;
      }
      if (!health.admit(route)) continue;
      const startMs = performance.now();
      try {
        const begun = {
          call,
          route,
          body,
          reply: await this.#send(context, call, route, body, options),
        };
        const firstByteMs = performance.now() - startMs;
        health.recordSuccess(route, firstByteMs);
        metrics.answered(route, firstByteMs);
        if (call.requestedModel !== undefined) metrics.fellBack(call.requestedModel, call.model.slug);
        // Otherwise the next call of the session finds the same route by itself.
        const isUnexpected = route !== call.routes[0] || call.model.strategy !== 'weighted';
        if (call.session !== undefined && isUnexpected) sessions.set(call.session, routeName(route));
        return begun;
      } catch (error) {
        if (context.signal.aborted) throw error;
        const thisFailure = failureOf(error);
        health.recordFailure(route, thisFailure, call.accountId);
        metrics.failed(route, thisFailure);
        if (isClientError(thisFailure)) return thisFailure;
        failure = failure ? preferRetryable(failure, thisFailure) : thisFailure;
        const { provider, credential } = route;
        context.log.warn(
          { provider: provider.id, credential: credential.name, err: error },
          'provider failed before its reply',
        );
      }
    }
    return failure ?? { kind: 'unreachable', cause: new Error('every circuit is open') };
  }

  /** Counts the call as in flight until its reply is complete or broken, or the call fails. */
  async #send(
    context: RequestContext,
    call: ModelCall,
    route: Route,
    body: Buffer,
    options: SendOptions,
  ): Promise<StartedReply['reply']> {
    const { health, limiter } = this.#deps;
    let isInFlight = true;
    const leave = () => {
      if (!isInFlight) return;
      isInFlight = false;
      health.leave(route);
      limiter.leave(route);
    };
    health.enter(route);
    limiter.enter(route, inputTokensOf(call.request));
    try {
      return await this.#begin(context, call, route, body, { ...options, onClose: leave });
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #begin(
    context: RequestContext,
    { request }: ModelCall,
    { provider, target }: Route,
    body: Buffer,
    { signal, bufferUntilMs, onClose }: SendOptions & { readonly onClose: () => void },
  ): Promise<StartedReply['reply']> {
    const timeouts = timeoutsOfTarget(target, provider.connection, this.#deps.timeouts);
    const beginByMs = performance.now() + timeouts.firstByteMs;
    const addressed = provider.address({
      upstreamModel: target.upstreamModel,
      stream: request.stream,
      callerHeaders: request.passThroughHeaders,
      body,
    });
    // Most addresses need no waiting.
    const address = addressed instanceof Promise ? await addressed : addressed;
    const response = await this.#deps.upstream.send({
      method: 'POST',
      connection: 'persistent',
      // What the provider has sent is billed.
      onAbort: 'finish',
      url: address.url,
      proxy: provider.connection?.proxy,
      headers: {
        accept: request.stream ? 'text/event-stream' : 'application/json',
        ...address.headers,
        'x-request-id': context.requestId,
      },
      body,
      signal,
      timeouts,
      keepAliveMs: this.#deps.keepAliveMs,
      // After a disconnect the reply is read only for its usage, so the idle timeout does not apply.
      ignoresIdle: () => context.signal.aborted,
      onClose,
    });
    const { status, headers } = response;
    if (status < 200 || status > 299) {
      const refusal = { status, headers, body: await readRefusalBody(response.body) };
      throw new UpstreamError(failureBy(provider, refusal));
    }
    if (!request.stream) return response.body;
    const events = provider.toEvents?.(response.body) ?? response.body;
    return beginStream(events, { provider, beginByMs, bufferUntilMs, caller: context.signal });
  }
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly bufferUntilMs: number;
}

/**
 * Returns the failure of a route whose credential is at a limit; undefined: it may be used. A daily limit makes it unavailable rather
 * than rate limited: a `Retry-After` of up to a day would not help clients, and the operator may raise the limit any time.
 */
function limitOf(
  limiter: Pick<CredentialLimiter, 'isSpent' | 'waitMs'>,
  route: Route,
  inputTokens: () => number,
): UpstreamFailure | undefined {
  if (limiter.isSpent(route)) {
    const { provider, credential } = route;
    const cause = new Error(`credential ${credential.name} of ${provider.id} is at its daily cost limit`);
    return { kind: 'unreachable', cause };
  }
  const waitMs = limiter.waitMs(route, inputTokens);
  if (waitMs === 0) return undefined;
  return { kind: 'status', status: 429, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
}

const inputTokensOf =
  ({ size }: CallerRequest) =>
  () =>
    estimateInput(size);

/** Undefined if the route's provider cannot carry the call. */
function bodyFor(call: ModelCall, route: Route): Buffer | undefined {
  const { request, model, loweredMaxTokens } = call;
  if (call.body && route === call.routes[0] && loweredMaxTokens === undefined) return call.body;
  try {
    return upstreamBody(request, model, route, loweredMaxTokens);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
