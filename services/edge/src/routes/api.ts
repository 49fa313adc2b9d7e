import { GatewayError } from '@gateway/proto';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { readApiKey } from '../domain/api-key';
import type { KeyCache } from '../domain/key-cache';
import type { Throttle } from '../domain/throttle';
import type { Exchange } from '../http/exchange';
import { type BodyLimits, type HeldBody, readBody } from '../http/read-body';
import { type CallCarrier, relayCall } from '../http/relay-call';
import {
  assertJsonBody,
  assertUncompressed,
  forwardedHeaders,
  isForm,
  presentedCredentials,
} from '../http/request-headers';
import { type SendLimits, SentBody } from '../http/send-body';
import { type ApiRoute, type ApiService, findApiRoute } from './api-routes';

export interface ApiDependencies {
  readonly keys: KeyCache;
  readonly throttle: Throttle;
  /** The paths of a service that is not there don't exist. */
  readonly carriers: Readonly<Partial<Record<ApiService, CallCarrier>>>;
  readonly bodyLimits: BodyLimits;
  readonly uploadLimits: SendLimits;
  readonly callTimeoutMs: number;
  readonly stallTimeoutMs: number;
}

const NO_BODY: HeldBody = { bytes: Buffer.alloc(0), release: () => undefined };
/** Of calls that need no key. */
const NOBODY: KeyContext = {};

/** Answers a request in the API space. The order of the steps is the order in which errors win. */
export async function answerApi(exchange: Exchange, deps: ApiDependencies): Promise<void> {
  const { request } = exchange;
  const method = request.method ?? '';
  const route = findApiRoute(method, exchange.path);
  const carrier = route && deps.carriers[route.service];
  if (!carrier) throw new GatewayError('not_found');
  exchange.route = route.name;

  const key = route.keyless ? NOBODY : await resolveKey(exchange, route, deps);

  await deps.throttle.admit();

  const upload = openUpload(exchange, route, key, deps);
  if (!upload && route.body !== 'none') assertJsonBody(request);
  const body =
    upload || route.body === 'none'
      ? NO_BODY
      : await readBody(exchange, deps.bodyLimits, key.accountId ?? '');
  const timeoutMs = deps.callTimeoutMs + (upload ? deps.uploadLimits.timeoutMs : 0);
  const open = {
    requestId: exchange.requestId,
    method,
    path: exchange.path,
    key,
    headers: forwardedHeaders(request, route.makesLinks),
    timeoutMs,
    ...(upload && { bodyStreams: true }),
  };
  try {
    await relayCall(
      exchange,
      carrier,
      { open, body: body.bytes },
      {
        timeoutMs,
        stallTimeoutMs: deps.stallTimeoutMs,
        onTaken: body.release,
        streamErrors: route.streamErrors,
        ...(upload && { body: upload }),
      },
    );
  } finally {
    body.release();
    upload?.stop();
  }
}

async function resolveKey(
  { request }: Exchange,
  route: ApiRoute,
  { keys }: ApiDependencies,
): Promise<KeyContext> {
  const presented = readApiKey(presentedCredentials(request));
  if (!presented) throw new GatewayError('invalid_api_key');
  return (await keys.resolve(presented, route.maxKeyAgeMs)).context;
}

/** A form is passed on as it comes; undefined for any other body. */
function openUpload(
  exchange: Exchange,
  route: ApiRoute,
  key: KeyContext,
  { uploadLimits }: ApiDependencies,
): SentBody | undefined {
  if (route.body !== 'form' || !isForm(exchange.request)) return undefined;
  assertUncompressed(exchange.request);
  return new SentBody(exchange, uploadLimits, key.accountId ?? '');
}
