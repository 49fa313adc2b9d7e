import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress, type IsTrustedProxy } from './client-address';

/** One request and its response, with what is known of them on the way. */
export interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the client, who may be behind trusted proxies; empty when its socket was gone already. */
  readonly callerAddress: string;
  readonly startedMs: number;
  /** Path of the target, without its query. */
  readonly path: string;
  /** What follows the path's question mark. */
  readonly query: string;
  /** Name of the matched route, for metrics: a bounded set. */
  route: string;
  /** Code of the error it ended with. */
  errorCode: string;
  /** Who calls, once that is authenticated. */
  caller: Caller | undefined;
  /** Another service records the call, unless it fails. */
  isRecorded: boolean;
}

/** An authenticated caller: by an API key, or by a login token. */
export type Caller = { readonly accountId: string; readonly keyId: string } | { readonly userId: string };

/** A target may be given as to a proxy, and every server must take it (RFC 9112, 3.2.2). Its host is that of `Host`. */
const ORIGIN_OF_TARGET = /^https?:\/\/[^/?#]*/i;

export function createExchange(
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
  isTrustedProxy: IsTrustedProxy,
): Exchange {
  // What is handed on to the dashboard reads it too.
  request.url = request.url?.replace(ORIGIN_OF_TARGET, '');
  const url = request.url ?? '';
  const queryAt = url.indexOf('?');
  const [path, query] = queryAt === -1 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt + 1)];
  return {
    requestId,
    request,
    response,
    callerAddress: clientAddress(request, isTrustedProxy),
    startedMs: performance.now(),
    path,
    query,
    route: 'unknown',
    errorCode: '',
    caller: undefined,
    isRecorded: false,
  };
}

/** The caller closed its connection; there is nobody to answer. */
export class CallerGone extends Error {
  constructor() {
    super('the caller closed the connection');
    this.name = 'CallerGone';
  }
}
