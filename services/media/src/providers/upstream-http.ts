import { Agent, type Dispatcher, request as send } from 'undici';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { bodyBytes, readBody } from '../domain/upstream-body';

/** Connections to one origin; callers beyond them wait for their turn. */
const MAX_CONNECTIONS = 256;
/** Connect timeouts are few: the service's own, and those of the catalog's targets. */
const MAX_AGENTS = 100;

/**
 * To providers over HTTP. Reads share kept-alive connections; an order has one of its own, because nobody could say
 * whether it arrived when a kept one turns out to be closed.
 */
export class UpstreamHttp implements Upstream {
  readonly #agents = new Map<string, Agent>();

  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    const { body } = request;
    const reply = await send(request.url, {
      dispatcher: this.#agent(request),
      method: request.method,
      headers: { ...request.headers, ...(body && { 'content-length': String(bodyBytes(body)) }) },
      ...(body && { body: readBody(body) as unknown as Dispatcher.DispatchOptions['body'] & object }),
      signal: request.signal,
      headersTimeout: request.timeouts.firstByteMs,
      bodyTimeout: request.timeouts.idleMs,
    });
    const bytes = bounded(reply.body, request.maxReplyBytes);
    return {
      status: reply.statusCode,
      headers: singleHeaders(reply.headers),
      body: bytes,
      json: async () => JSON.parse((await gather(bytes)).toString()),
    };
  }

  /** What is under way breaks. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  #agent({ method, timeouts: { connectMs } }: UpstreamRequest): Agent {
    const name = `${method} ${connectMs}`;
    let agent = this.#agents.get(name);
    if (!agent) {
      if (this.#agents.size >= MAX_AGENTS) throw new Error('too many different connect timeouts');
      agent = new Agent({
        connections: MAX_CONNECTIONS,
        connect: { timeout: connectMs },
        pipelining: method === 'GET' ? 1 : 0,
      });
      this.#agents.set(name, agent);
    }
    return agent;
  }
}

async function* bounded(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error('reply is too long');
    yield piece;
  }
}

async function gather(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
