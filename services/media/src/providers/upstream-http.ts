import type { Readable } from 'node:stream';
import { UpstreamError } from '@gateway/upstream';
import { Agent } from 'undici';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { bodyBytes, readBody } from '../domain/upstream-body';
import { RequestError } from './request-error';
import { UpstreamExchange } from './upstream-exchange';

/**
 * Maximum requests to one origin, twice what all jobs make. Connections have no limit of their own: a request that waits for a
 * connection would look as if its provider were unreachable, which would open the circuit.
 */
const MAX_REQUESTS = 2_048;
const BUSY_RETRY_SECONDS = 1;
/** Each request has its own connect timeout; this ends what continues after it. */
const MAX_CONNECT_MS = 10_000;

const options = {
  connect: { timeout: MAX_CONNECT_MS },
  // Timeouts are implemented here, so that each has its exact meaning.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Its errors tell less about whether a request was sent.
  allowH2: false,
};

/**
 * Requests to providers over HTTP. Reads share persistent connections; an order has a connection of its own, because with a
 * persistent one that turns out to be closed it would be unknown whether the order arrived.
 */
export class UpstreamHttp implements Upstream {
  readonly #reads = new Agent(options);
  readonly #orders = new Agent({ ...options, pipelining: 0 });
  readonly #requests = new Map<string, number>();
  readonly #maxRequests: number;

  constructor(maxRequests = MAX_REQUESTS) {
    this.#maxRequests = maxRequests;
  }

  /** @throws RequestError */
  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    const { method, url, headers, body } = request;
    const { origin } = url;
    const requests = this.#requests.get(origin) ?? 0;
    if (requests >= this.#maxRequests) throw tooMany();
    this.#requests.set(origin, requests + 1);
    const exchange = new UpstreamExchange(request, () => this.#over(origin));
    const agent = method === 'GET' ? this.#reads : this.#orders;
    agent.dispatch(
      {
        method,
        origin,
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, ...(body && { 'content-length': String(bodyBytes(body)) }) },
        // The type definitions lack iterables.
        body: body ? (readBody(body) as unknown as Readable) : null,
      },
      exchange,
    );
    return exchange.reply;
  }

  /** Aborts requests in progress. */
  async close(): Promise<void> {
    await Promise.all([this.#reads.destroy(), this.#orders.destroy()]);
  }

  #over(origin: string): void {
    const left = this.#requests.get(origin)! - 1;
    if (left > 0) this.#requests.set(origin, left);
    else this.#requests.delete(origin);
  }
}

/** Treated like an answer of the provider: nothing was started, and waiting helps. */
function tooMany(): RequestError {
  const failure = { kind: 'status', status: 429, retryAfterSeconds: BUSY_RETRY_SECONDS } as const;
  return new RequestError(new UpstreamError(failure), false);
}
