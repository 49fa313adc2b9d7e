import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress, type IsTrustedProxy } from './client-address';

/** One request and its response, with what becomes known on the way. */
export interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's address, possibly behind trusted proxies; empty if its socket was already closed. */
  readonly clientAddress: string;
  readonly startedMs: number;
  /** Path of the request target, without the query. */
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** Name of the matched route, for metrics: a bounded set. */
  route: string;
  /** Code of the error that ended the exchange. */
  errorCode: string;
  /** The authenticated caller. */
  caller: Caller | undefined;
  /** The detail of an error follows in its message. */
  detailedMessages: boolean;
  /** The answering service records the call, unless it fails. */
  isRecorded: boolean;
  /** How long the rest of a request is read after its response. */
  lingerMs: number;
}

/** An authenticated caller: by an API key, or by a login token. */
export type Caller = { readonly accountId: string; readonly keyId: string } | { readonly userId: string };

const LINGER_MS = 1_000;
/** Servers must accept an absolute-form target (RFC 9112, 3.2.2). Its host is that of `Host`. */
const ORIGIN_OF_TARGET = /^https?:\/\/[^/?#]*/i;

export function createExchange(
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
  isTrustedProxy: IsTrustedProxy,
): Exchange {
  // The proxied request to the dashboard uses it too.
  request.url = request.url?.replace(ORIGIN_OF_TARGET, '');
  const url = request.url ?? '';
  const queryAt = url.indexOf('?');
  const [path, query] = queryAt === -1 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt + 1)];
  return {
    requestId,
    request,
    response,
    clientAddress: clientAddress(request, isTrustedProxy),
    startedMs: performance.now(),
    path,
    query,
    route: 'unknown',
    errorCode: '',
    caller: undefined,
    detailedMessages: false,
    isRecorded: false,
    lingerMs: LINGER_MS,
  };
}
