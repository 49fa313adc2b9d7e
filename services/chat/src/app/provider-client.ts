import type { HttpClient, HttpResponse, HttpTimeouts } from '@gateway/http-client';
import type { RequestContext } from '@gateway/rpc';
import {
  nameProviderRequest,
  providerRequestId,
  type TargetHealth,
  timeoutsOfTarget,
  UpstreamError,
} from '@gateway/upstream';
import type { UpstreamAddress } from '../domain/chat-provider';
import type { Route } from '../domain/route';
import { readRefusalBody } from '../providers/read-reply';
import { failureBy } from '../providers/refusal';
import { beginBody } from './error-body';

export interface ProviderClientDeps {
  readonly upstream: Pick<HttpClient, 'send'>;
  readonly timeouts: HttpTimeouts;
  /** Time without bytes after which a reply yields an empty piece. */
  readonly keepAliveMs: number;
  readonly health: Pick<TargetHealth, 'recordReply'>;
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

/** Sends requests to providers over HTTP. */
export class ProviderClient {
  readonly #deps: ProviderClientDeps;

  constructor(deps: ProviderClientDeps) {
    this.#deps = deps;
  }

  /** Returns the timeouts of calls to the route's target. */
  timeoutsOf({ provider, target }: Route): HttpTimeouts {
    return timeoutsOfTarget(target, provider.connection, this.#deps.timeouts);
  }

  /** Returns the provider's response. @throws UpstreamError for an error status, or a body that is an error */
  async send(context: RequestContext, route: Route, request: ProviderRequest): Promise<HttpResponse> {
    const { provider } = route;
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
    this.#deps.health.recordReply(route, headers);
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
}
