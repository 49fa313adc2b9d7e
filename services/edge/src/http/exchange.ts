import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request and its response, with what is known of them on the way. */
export interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedMs: number;
  /** Path of the target, without its query. */
  readonly path: string;
  /** Name of the matched route, for metrics: a bounded set. */
  route: string;
  /** Code of the error it ended with. */
  errorCode: string;
}

export function createExchange(
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const url = request.url ?? '';
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  return {
    requestId,
    request,
    response,
    startedMs: performance.now(),
    path,
    route: 'unknown',
    errorCode: '',
  };
}

/** The caller closed its connection; there is nobody to answer. */
export class CallerGone extends Error {
  constructor() {
    super('the caller closed the connection');
    this.name = 'CallerGone';
  }
}
