import { GatewayError } from '@gateway/errors';
import type { HttpClient, HttpResponse, HttpTimeouts } from '@gateway/http-client';
import type { RequestContext } from '@gateway/rpc';
import {
  type CredentialLimiter,
  failureOf,
  isClientError,
  nameProviderRequest,
  preferRetryable,
  providerRequestId,
  type TargetHealth,
  timeoutsOfTarget,
  UpstreamError,
  type UpstreamFailure,
} from '@gateway/upstream';
import type { UpstreamAddress } from '../domain/chat-provider';
import type { Route } from '../domain/route';
import type { TargetMetrics } from '../metrics';
import { readRefusalBody } from '../providers/read-reply';
import { failureBy } from '../providers/refusal';
import { beginBody } from './error-body';

export interface RouteCallerDeps {
  readonly upstream: Pick<HttpClient, 'send'>;
  readonly timeouts: HttpTimeouts;
  /** Time without bytes after which a reply yields an empty piece. */
  readonly keepAliveMs: number;
  readonly health: TargetHealth;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
  readonly metrics: Pick<TargetMetrics, 'answered' | 'failed'>;
}

/** A call, as it is sent along its routes. */
export interface RoutedCall<Answer> {
  readonly accountId: string;
  /** In the order in which they are tried, as far as their targets are healthy. */
  readonly routes: readonly Route[];
  /** Estimated. */
  inputTokens(): number;
  /** Undefined if the route's provider cannot carry the call. */
  bodyFor(route: Route): Buffer | undefined;
  /**
   * Sends the body and returns what counts as the beginning of an answer.
   * @param onClose to be called when the reply is complete or broken
   * @throws the failure of the route
   */
  begin(route: Route, body: Buffer, onClose: () => void): Promise<Answer>;
}

/** A route that answers. */
export interface Answered<Answer> {
  readonly route: Route;
  /** The request body that was sent. */
  readonly body: Buffer;
  readonly answer: Answer;
}

/** A request to one provider. */
export interface ProviderRequest {
  readonly address: UpstreamAddress | Promise<UpstreamAddress>;
  readonly accept: string;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly timeouts: HttpTimeouts;
  readonly onClose: () => void;
}

/** The type of a body that is not a stream. */
const WHOLE = 'application/json';

/** Sends calls along their routes, within the limits of the credentials and past open circuits. */
export class RouteCaller {
  readonly #deps: RouteCallerDeps;

  constructor(deps: RouteCallerDeps) {
    this.#deps = deps;
  }

  /**
   * Tries the routes until one answers.
   * @returns the failure for which a retry is most promising if none answers
   * @throws whatever ended the call, if its client has disconnected
   */
  async firstAnswer<Answer>(
    context: RequestContext,
    call: RoutedCall<Answer>,
  ): Promise<Answered<Answer> | UpstreamFailure> {
    const { health, limiter, metrics } = this.#deps;
    let failure: UpstreamFailure | undefined;
    for (const route of health.inOrder(call.routes)) {
      const body = call.bodyFor(route);
      if (!body) continue;
      const limited = limiter.refusal(route, call.inputTokens);
      if (limited) {
        failure = failure ? preferRetryable(failure, limited) : limited;
        continue;
      }
      if (!health.admit(route)) continue;
      const startMs = performance.now();
      try {
        const answer = await this.#inFlight(call, route, body);
        const firstByteMs = performance.now() - startMs;
        health.recordSuccess(route, firstByteMs);
        metrics.answered(route, firstByteMs);
        return { route, body, answer };
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

  /** Returns the timeouts of calls to the route's target. */
  timeoutsOf({ provider, target }: Route): HttpTimeouts {
    return timeoutsOfTarget(target, provider.connection, this.#deps.timeouts);
  }

  /** Returns the provider's response. @throws UpstreamError for an error status, or a body that is an error */
  async send(context: RequestContext, { provider }: Route, request: ProviderRequest): Promise<HttpResponse> {
    const { address: addressed, accept, body, signal, timeouts, onClose } = request;
    // Most addresses need no waiting.
    const address = addressed instanceof Promise ? await addressed : addressed;
    const response = await this.#deps.upstream.send({
      method: 'POST',
      connection: 'persistent',
      // What the provider has sent is billed.
      onAbort: 'finish',
      url: address.url,
      proxy: provider.connection?.proxy,
      headers: { accept, ...address.headers, 'x-request-id': context.requestId },
      body,
      signal,
      timeouts,
      keepAliveMs: this.#deps.keepAliveMs,
      // After a disconnect the reply is read only for its usage, so the idle timeout does not apply.
      ignoresIdle: () => context.signal.aborted,
      onClose,
    });
    const { status, headers } = response;
    if (status >= 200 && status <= 299) {
      const isWhole = accept === WHOLE;
      const mayBeError = isWhole || String(headers['content-type'] ?? '').startsWith(WHOLE);
      if (!mayBeError) return response;
      const body = await beginBody(response, provider, isWhole).catch((error: unknown) => {
        nameProviderRequest(error, headers);
        throw error;
      });
      return { ...response, body };
    }
    const refusal = { status, headers, body: await readRefusalBody(response.body) };
    throw new UpstreamError(failureBy(provider, refusal), providerRequestId(headers));
  }

  /** Counts the call as in flight until its reply is complete or broken, or the call fails. */
  async #inFlight<Answer>(call: RoutedCall<Answer>, route: Route, body: Buffer): Promise<Answer> {
    const { health, limiter } = this.#deps;
    let isInFlight = true;
    const leave = () => {
      if (!isInFlight) return;
      isInFlight = false;
      health.leave(route);
      limiter.leave(route);
    };
    health.enter(route);
    limiter.enter(route, call.inputTokens);
    try {
      return await call.begin(route, body, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** Returns the body that `write` returns; undefined if the provider cannot carry the call. */
export function bodyOrUndefined(write: () => Buffer): Buffer | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
