import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { GatewayError } from '@gateway/proto';
import { createProxyMiddleware, type Plugin, proxyEventsPlugin } from 'http-proxy-middleware';
import { CallerGone, type Exchange } from './exchange';
import { cleanReplyHeaders, cleanRequestHeaders } from './proxy-headers';

export interface DashboardProxyOptions {
  readonly target: string;
  readonly maxBodyBytes: number;
  /** Until the reply's head; after that, for each pause in the reply. */
  readonly timeoutMs: number;
}

export interface DashboardProxy {
  /** Resolves when the reply is out; rejects, with nothing written, when it failed before it began. */
  forward(exchange: Exchange): Promise<void>;
  close(): void;
}

interface Passage {
  readonly exchange: Exchange;
  readonly timer: NodeJS.Timeout;
  proxied: ClientRequest | undefined;
  /** Why the edge itself broke it off. */
  refusal: GatewayError | undefined;
  readonly settle: (error?: Error) => void;
}

/** Hands requests to the dashboard's HTTP server and its replies back, both as streams. */
export function createDashboardProxy(options: DashboardProxyOptions): DashboardProxy {
  const { target, maxBodyBytes, timeoutMs } = options;
  const agentOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 64 };
  const agent = target.startsWith('https:') ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
  const passages = new WeakMap<IncomingMessage, Passage>();

  const onProxyReq = (proxied: ClientRequest, request: IncomingMessage) => {
    const passage = passages.get(request);
    if (!passage) return;
    passage.proxied = proxied;
    let bodyBytes = 0;
    // The pipe is laid in this same turn, so listening here loses nothing.
    request.on('data', (chunk: Buffer) => {
      bodyBytes += chunk.length;
      if (bodyBytes > maxBodyBytes) breakOff(passage, tooLarge());
    });
  };
  const onProxyRes = (reply: IncomingMessage, request: IncomingMessage) => {
    const passage = passages.get(request);
    if (!passage) return;
    clearTimeout(passage.timer);
    reply.setTimeout(timeoutMs, () => reply.destroy());
    cleanReplyHeaders(reply.headers);
    const { shouldKeepAlive } = passage.exchange.response;
    reply.headers.connection = shouldKeepAlive && request.complete ? 'keep-alive' : 'close';
  };
  const onError = (cause: Error, request: IncomingMessage, _response: ServerResponse | Socket) => {
    const passage = passages.get(request);
    passage?.settle(passage.refusal ?? new GatewayError('internal_error', { cause }));
  };
  const middleware = createProxyMiddleware({
    target,
    changeOrigin: true,
    agent,
    // The default plugins answer errors in words of their own.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin as Plugin],
    on: { proxyReq: onProxyReq, proxyRes: onProxyRes, error: onError },
  });

  return {
    forward(exchange) {
      const { request, response } = exchange;
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
      const expectsContinue = request.headers.expect !== undefined;
      const { remoteAddress = '' } = request.socket;
      const { host = '' } = request.headers;
      cleanRequestHeaders(request.headers);
      Object.assign(request.headers, {
        'x-request-id': exchange.requestId,
        'x-forwarded-for': remoteAddress,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'http',
      });
      if (expectsContinue) response.writeContinue();
      return new Promise<void>((resolve, reject) => {
        const settle = (error?: Error) => {
          clearTimeout(passage.timer);
          if (error) reject(error);
          else resolve();
        };
        const onTimeout = () => breakOff(passage, late());
        const timer = setTimeout(onTimeout, timeoutMs);
        const passage: Passage = { exchange, timer, proxied: undefined, refusal: undefined, settle };
        passages.set(request, passage);
        response.once('close', () => settle(response.headersSent ? undefined : new CallerGone()));
        middleware(request, response, (error?: unknown) => {
          settle(passage.refusal ?? new GatewayError('internal_error', { cause: error }));
        });
      });
    },
    close: () => agent.destroy(),
  };
}

function breakOff(passage: Passage, refusal: GatewayError): void {
  passage.refusal ??= refusal;
  const { request } = passage.exchange;
  if (passage.proxied) {
    request.unpipe(passage.proxied);
    passage.proxied.destroy(refusal);
  }
  passage.settle(refusal);
}

function tooLarge(): GatewayError {
  return new GatewayError('invalid_request', { detail: 'the body is too large' });
}

function late(): GatewayError {
  return new GatewayError('internal_error', { cause: new Error('the dashboard took too long') });
}
