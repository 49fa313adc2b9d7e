import type { Readable } from 'node:stream';
import { UpstreamError } from '@gateway/upstream';
import { Agent } from 'undici';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { bodyBytes, readBody } from '../domain/upstream-body';
import { RequestError } from './request-error';
import { UpstreamExchange } from './upstream-exchange';

/**
 * Requests under way at one origin, twice what all jobs make. Connections have no bound of their own: a request
 * that waits for a free one looks as if its provider could not be reached, and that closes it to everybody.
 */
const MAX_REQUESTS = 2_048;
const BUSY_RETRY_SECONDS = 1;
/** Each request has a time of its own to connect; this ends what goes on after it. */
const MAX_CONNECT_MS = 10_000;

const options = {
  connect: { timeout: MAX_CONNECT_MS },
  // Times are counted here, so that each has its exact meaning.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Its errors tell less of whether a request went out.
  allowH2: false,
};

/**
 * To providers over HTTP. Reads share kept-alive connections; an order has one of its own, because nobody could say
 * whether it arrived when a kept one turns out to be closed.
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
        // Its types forget that it takes what can be iterated.
        body: body ? (readBody(body) as unknown as Readable) : null,
      },
      exchange,
    );
    return exchange.reply;
  }

  /** What is under way breaks. */
  async close(): Promise<void> {
    await Promise.all([this.#reads.destroy(), this.#orders.destroy()]);
  }

  #over(origin: string): void {
    const left = this.#requests.get(origin)! - 1;
    if (left > 0) this.#requests.set(origin, left);
    else this.#requests.delete(origin);
  }
}

/** As if the provider had said it: nothing was begun, and waiting cures it. */
function tooMany(): RequestError {
  const failure = { kind: 'status', status: 429, retryAfterSeconds: BUSY_RETRY_SECONDS } as const;
  return new RequestError(new UpstreamError(failure), false);
}
