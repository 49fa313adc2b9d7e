import { GatewayError } from '@gateway/proto';
import { readApiKey } from '../domain/api-key';
import type { KeyCache } from '../domain/key-cache';
import type { Throttle } from '../domain/throttle';
import type { Exchange } from '../http/exchange';
import { type BodyLimits, type HeldBody, readBody } from '../http/read-body';
import { type CallCarrier, relayCall } from '../http/relay-call';
import { assertJsonBody, forwardedHeaders, presentedCredentials } from '../http/request-headers';
import { type ApiService, findApiRoute } from './api-routes';

export interface ApiDependencies {
  readonly keys: KeyCache;
  readonly throttle: Throttle;
  readonly carriers: Readonly<Record<ApiService, CallCarrier>>;
  readonly bodyLimits: BodyLimits;
  readonly callTimeoutMs: number;
  readonly stallTimeoutMs: number;
}

const NO_BODY: HeldBody = { bytes: Buffer.alloc(0), release: () => undefined };

/** Answers a request in the API space. The order of the steps is the order in which errors win. */
export async function answerApi(exchange: Exchange, deps: ApiDependencies): Promise<void> {
  const { request } = exchange;
  const method = request.method ?? '';
  const route = findApiRoute(method, exchange.path);
  if (!route) throw new GatewayError('not_found');
  exchange.route = route.name;

  const presented = readApiKey(presentedCredentials(request));
  if (!presented) throw new GatewayError('invalid_api_key');
  const key = await deps.keys.resolve(presented, route.maxKeyAgeMs);

  await deps.throttle.admit();

  if (route.body === 'json') assertJsonBody(request);
  const body =
    route.body === 'none' ? NO_BODY : await readBody(exchange, deps.bodyLimits, key.context.accountId ?? '');
  const open = {
    requestId: exchange.requestId,
    method,
    path: exchange.path,
    key: key.context,
    headers: forwardedHeaders(request),
    timeoutMs: deps.callTimeoutMs,
  };
  try {
    await relayCall(
      exchange,
      deps.carriers[route.service],
      { open, body: body.bytes },
      {
        timeoutMs: deps.callTimeoutMs,
        stallTimeoutMs: deps.stallTimeoutMs,
        onTaken: body.release,
        streamErrors: route.streamErrors,
      },
    );
  } finally {
    body.release();
  }
}
