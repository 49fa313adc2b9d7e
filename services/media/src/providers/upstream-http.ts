import { HttpClient, type HttpResponse } from '@gateway/http-client';
import { providerRequestId, UpstreamError } from '@gateway/upstream';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { bodyBytes, readBody } from '../domain/upstream-body';
import { RequestError } from './request-error';

/**
 * Maximum requests to one origin, twice what all jobs make. Connections have no limit of their own: a request that waits for a
 * connection would look as if its provider were unreachable, which would open the circuit.
 */
const MAX_REQUESTS = 2_048;
const BUSY_RETRY_SECONDS = 1;

interface UpstreamHttpOptions {
  readonly maxRequests?: number | undefined;
  readonly refusesHost?: ((host: string) => boolean) | undefined;
}

/**
 * Requests to providers over HTTP. Reads share persistent connections; an order has a connection of its own, because with a
 * persistent one that turns out to be closed it would be unknown whether the order arrived.
 */
export class UpstreamHttp implements Upstream {
  readonly #client: HttpClient;
  readonly #requests = new Map<string, number>();
  readonly #maxRequests: number;

  /** @param refusesHost whether nothing may be sent to an address or a name; undefined: all are allowed */
  constructor({ maxRequests = MAX_REQUESTS, refusesHost }: UpstreamHttpOptions = {}) {
    this.#client = new HttpClient(refusesHost);
    this.#maxRequests = maxRequests;
  }

  /** @throws RequestError */
  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    const { method, url, headers, body, signal, timeouts, proxy } = request;
    const release = this.#acquire(url.origin);
    let mayHaveArrived = false;
    try {
      const response = await this.#client.send({
        method,
        url,
        headers,
        ...(body && { body: { bytes: bodyBytes(body), read: () => readBody(body) } }),
        signal,
        proxy,
        onAbort: 'close',
        timeouts,
        connection: method === 'GET' ? 'persistent' : 'own',
        needsReader: !request.mayPause,
        onConnected: () => {
          mayHaveArrived = true;
        },
        onClose: release,
      });
      const reply = readReply(response, request.maxReplyBytes);
      return {
        status: response.status,
        headers: singleHeaders(response.headers),
        body: reply,
        json: () => readJson(reply, response.headers),
      };
    } catch (error) {
      throw new RequestError(error, mayHaveArrived);
    }
  }

  /** Aborts requests in progress. */
  close(): void {
    this.#client.close();
  }

  #acquire(origin: string): () => void {
    const requests = this.#requests.get(origin) ?? 0;
    if (requests >= this.#maxRequests) throw tooMany();
    this.#requests.set(origin, requests + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = this.#requests.get(origin)! - 1;
      if (left > 0) this.#requests.set(origin, left);
      else this.#requests.delete(origin);
    };
  }
}

/** @throws RequestError when the reply breaks, stays silent or is too long */
async function* readReply({ body, headers }: HttpResponse, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new Error('the reply is too long');
      if (piece.length > 0) yield piece;
    }
  } catch (error) {
    throw new RequestError(error, true, providerRequestId(headers));
  }
}

/** @throws UpstreamError `broken` */
async function readJson(body: AsyncIterable<Buffer>, headers: HttpResponse['headers']): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    // The parser's own error would quote the reply, and errors are logged.
    const failure = { kind: 'broken', cause: new Error('the reply is not JSON') } as const;
    throw new UpstreamError(failure, providerRequestId(headers));
  }
}

/** Treated like an answer of the provider: nothing was started, and waiting helps. */
function tooMany(): RequestError {
  const failure = { kind: 'status', status: 429, retryAfterSeconds: BUSY_RETRY_SECONDS } as const;
  return new RequestError(new UpstreamError(failure), false);
}

function singleHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
