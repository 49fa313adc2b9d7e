import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { bodyBytes, readBody } from '../domain/upstream-body';
import { UpstreamExchange } from './upstream-exchange';

/** Connections to one origin; callers beyond them wait for their turn, within their time to connect. */
const MAX_CONNECTIONS = 256;
/** Each request has a time of its own to connect; this ends what goes on after it. */
const MAX_CONNECT_MS = 10_000;

const options = {
  connections: MAX_CONNECTIONS,
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

  /** @throws RequestError */
  request(request: UpstreamRequest): Promise<UpstreamReply> {
    const { method, url, headers, body } = request;
    const exchange = new UpstreamExchange(request);
    const agent = method === 'GET' ? this.#reads : this.#orders;
    agent.dispatch(
      {
        method,
        origin: url.origin,
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
}
