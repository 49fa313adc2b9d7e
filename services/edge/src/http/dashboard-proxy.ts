import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@gateway/errors';
import { ClientDisconnected, type Trust } from '@gateway/rpc';
import { createProxyMiddleware, type Plugin, proxyEventsPlugin } from 'http-proxy-middleware';
import type { BufferedBody } from './buffered-body';
import type { Exchange } from './exchange';
import { cleanReplyHeaders, cleanRequestHeaders } from './proxy-headers';

export interface DashboardProxyOptions {
  readonly target: string;
  /** Proves to the dashboard that a request comes from edge. */
  readonly trust: Trust;
  /** Until the head of the response; after that, for each pause in it. */
  readonly timeoutMs: number;
}

export interface DashboardProxy {
  /**
   * Forwards a request with its body, which it releases once sent. Resolves when the response has been sent; rejects, with
   * nothing written, when it failed before that.
   */
  forward(exchange: Exchange, body: BufferedBody): Promise<void>;
  close(): void;
}

interface ProxiedRequest {
  readonly exchange: Exchange;
  readonly body: BufferedBody;
  readonly timer: NodeJS.Timeout;
  proxied: ClientRequest | undefined;
  /** Why edge aborted the request. */
  refusal: GatewayError | undefined;
  readonly settle: (error?: Error) => void;
}

/** Forwards requests to the dashboard's HTTP server and streams its responses back. */
export function createDashboardProxy(options: DashboardProxyOptions): DashboardProxy {
  const { target, trust, timeoutMs } = options;
  const agentOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 64 };
  const { agent, headers } = trust.httpClient('dashboard', target, agentOptions);
  const proxiedRequests = new WeakMap<IncomingMessage, ProxiedRequest>();

  const onProxyReq = (proxied: ClientRequest, request: IncomingMessage) => {
    const proxiedRequest = proxiedRequests.get(request);
    if (!proxiedRequest) return;
    proxiedRequest.proxied = proxied;
    const { body } = proxiedRequest;
    // The proxy pipes the request afterwards, which has no more data and ends this one.
    if (body.bytes.length > 0) proxied.write(body.bytes, () => body.release());
  };
  const onProxyRes = (reply: IncomingMessage, request: IncomingMessage) => {
    const proxiedRequest = proxiedRequests.get(request);
    if (!proxiedRequest) return;
    clearTimeout(proxiedRequest.timer);
    reply.setTimeout(timeoutMs, () => reply.destroy());
    cleanReplyHeaders(reply.headers);
    const { shouldKeepAlive } = proxiedRequest.exchange.response;
    reply.headers.connection = shouldKeepAlive && request.complete ? 'keep-alive' : 'close';
  };
  const onError = (cause: Error, request: IncomingMessage, _response: ServerResponse | Socket) => {
    const proxiedRequest = proxiedRequests.get(request);
    proxiedRequest?.settle(proxiedRequest.refusal ?? new GatewayError('internal_error', { cause }));
  };
  const middleware = createProxyMiddleware({
    target,
    changeOrigin: true,
    agent,
    // The default plugins write error responses of their own.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin as Plugin],
    on: { proxyReq: onProxyReq, proxyRes: onProxyRes, error: onError },
  });

  return {
    forward(exchange, body) {
      const { request, response } = exchange;
      const { host = '' } = request.headers;
      cleanRequestHeaders(request.headers);
      Object.assign(request.headers, {
        'x-request-id': exchange.requestId,
        'x-forwarded-for': exchange.clientAddress,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'http',
        ...headers,
      });
      delete request.headers['transfer-encoding'];
      declareLength(request, body.bytes.length);
      return new Promise<void>((resolve, reject) => {
        const settle = (error?: Error) => {
          clearTimeout(proxiedRequest.timer);
          if (error) reject(error);
          else resolve();
        };
        const onTimeout = () => abort(proxiedRequest, late());
        const timer = setTimeout(onTimeout, timeoutMs);
        const proxiedRequest: ProxiedRequest = {
          exchange,
          body,
          timer,
          proxied: undefined,
          refusal: undefined,
          settle,
        };
        proxiedRequests.set(request, proxiedRequest);
        response.once('close', () => settle(response.headersSent ? undefined : new ClientDisconnected()));
        middleware(request, response, (error?: unknown) => {
          settle(proxiedRequest.refusal ?? new GatewayError('internal_error', { cause: error }));
        });
      });
    },
    close: () => agent.destroy(),
  };
}

function declareLength(request: IncomingMessage, bytes: number): void {
  delete request.headers['content-length'];
  if (bytes > 0 || request.method === 'POST') request.headers['content-length'] = String(bytes);
}

function abort(proxiedRequest: ProxiedRequest, refusal: GatewayError): void {
  proxiedRequest.refusal ??= refusal;
  proxiedRequest.proxied?.destroy(refusal);
  proxiedRequest.settle(refusal);
}

function late(): GatewayError {
  return new GatewayError('internal_error', { cause: new Error('the dashboard took too long') });
}
