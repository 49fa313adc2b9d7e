import type { Refusal } from '@gateway/call-billing';
import { type ApiService, type Endpoint, findEndpoint } from '@gateway/endpoints';
import { GatewayError } from '@gateway/errors';
import { allowsAddress, isInScope, outOfScope } from '@gateway/models';
import type { CallHeader } from '@gateway/proto/generated/gateway/edge/v1/CallHeader';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { ClientDisconnected } from '@gateway/rpc';
import { readApiKey } from '../domain/api-key';
import type { KeyCache } from '../domain/key-cache';
import type { Throttle } from '../domain/throttle';
import { type BufferedBody, NO_BODY } from '../http/buffered-body';
import { answerCors } from '../http/cors';
import type { Exchange } from '../http/exchange';
import { type BodyLimits, readBody } from '../http/read-body';
import { type CallLink, relayCall } from '../http/relay-call';
import {
  assertJsonBody,
  forwardedHeaders,
  googleKeys,
  isForm,
  presentedCredentials,
} from '../http/request-headers';
import { type SendLimits, StreamedUpload } from '../http/send-body';
import { writeError } from '../http/write-error';

export interface ApiDependencies extends RelayDependencies {
  readonly keys: KeyCache;
  readonly throttle: Throttle;
  /** Origins of pages whose scripts may call the API; `*`: every one. */
  readonly corsOrigins: ReadonlySet<string>;
}

export interface RelayDependencies {
  /** Paths of a service that is not deployed are `not_found`. */
  readonly links: Readonly<Partial<Record<ApiService, CallLink>>>;
  readonly bodyLimits: BodyLimits;
  readonly uploadLimits: SendLimits;
  readonly callTimeoutMs: number;
  readonly stallTimeoutMs: number;
  /** Receives refusals that no downstream service sees. */
  readonly refusals: { add(refusal: Refusal): void };
}

/** For routes without a key. */
const NO_KEY: KeyContext = {};

/** Answers a request in the API space. The order of the steps is the precedence of errors. */
export async function answerApi(exchange: Exchange, deps: ApiDependencies): Promise<void> {
  const { request } = exchange;
  if (answerCors(exchange, deps.corsOrigins)) return;
  const method = request.method ?? '';
  const route = findEndpoint(method, exchange.path);
  if (isWebSocketOfResponses(exchange)) return writeError(exchange, new GatewayError('not_found'), OVER_HTTP);
  if (!route) throw new GatewayError('not_found');
  linkOf(route, deps);
  exchange.route = route.name;

  const key = route.keyless ? NO_KEY : await resolveKey(exchange, route, deps);
  exchange.detailedMessages = key.detailedMessages ?? false;
  exchange.isRecorded = route.maxKeyAgeMs === undefined;

  const admitted = async () => {
    assertInScope(key, route);
    return admitBody(exchange, route, key, deps);
  };
  const { upload, body } = await admitted().catch((thrown: unknown) => {
    if (!(thrown instanceof ClientDisconnected))
      report(exchange, exchange.path, key, GatewayError.from(thrown), deps);
    throw thrown;
  });
  const headers = forwardedHeaders(request, route.returnsLinks);
  // Paths that several formats share.
  if (route.method === 'GET' && route.acceptsGoogleKey && googleKeys(request, exchange.query).length > 0)
    headers.push({ name: 'x-edge-format', value: 'google' });
  await relayApiCall(exchange, { route, path: exchange.path, key, headers, upload, body }, deps);
}

/** Tells a client to go on over HTTP (RFC 9110, section 15.5.22). */
const OVER_HTTP = { status: 426, headers: { upgrade: 'HTTP/1.1', connection: 'upgrade, close' } };

/** Codex tries a WebSocket first, and gives up on responses altogether after another status. */
const isWebSocketOfResponses = ({ request, path }: Exchange): boolean =>
  path === '/v1/responses' &&
  request.method === 'GET' &&
  request.headers.upgrade?.toLowerCase() === 'websocket';

/** An authenticated API call. */
export interface ApiCall {
  readonly route: Endpoint;
  readonly path: string;
  readonly key: KeyContext;
  readonly headers: CallHeader[];
  readonly body: BufferedBody;
  /** The body if it is streamed; `body` is then empty. */
  readonly upload: StreamedUpload | undefined;
}

/** Relays the call to its service and releases its body. */
export async function relayApiCall(
  exchange: Exchange,
  call: ApiCall,
  deps: RelayDependencies,
): Promise<void> {
  const { route, path, key, headers, body, upload } = call;
  const timeoutMs = deps.callTimeoutMs + (upload ? deps.uploadLimits.timeoutMs : 0);
  const open = {
    requestId: exchange.requestId,
    method: route.method,
    path,
    key,
    headers,
    timeoutMs,
    ...(upload && { bodyStreams: true }),
    ...(route.forwardsQuery && { query: withoutKey(exchange.query) }),
  };
  try {
    await relayCall(
      exchange,
      linkOf(route, deps),
      { open, body: body.bytes },
      {
        timeoutMs,
        stallTimeoutMs: deps.stallTimeoutMs,
        onTaken: body.release,
        onUnsent: (error) => report(exchange, path, key, error, deps),
        streamErrors: route.streamErrors,
        ...(upload && { body: upload }),
      },
    );
  } finally {
    body.release();
    upload?.stop();
  }
}

/** @throws GatewayError `not_found` when the route's service is not deployed */
export function linkOf(route: Endpoint | undefined, { links }: RelayDependencies): CallLink {
  const link = route && links[route.service];
  if (!link) throw new GatewayError('not_found');
  return link;
}

/** Admits the call at the throttle, then reads its body or prepares to stream it. */
async function admitBody(exchange: Exchange, route: Endpoint, key: KeyContext, deps: ApiDependencies) {
  await deps.throttle.admit();
  const upload = openUpload(exchange, route, key, deps);
  if (upload || !(route.body || route.form)) return { upload, body: NO_BODY };
  if (route.takesOnlyForms)
    throw new GatewayError('invalid_request', { detail: 'Content-Type must be multipart/form-data' });
  assertJsonBody(exchange.request);
  return { upload, body: await readBody(exchange, deps.bodyLimits, key.accountId ?? '') };
}

/** Reports a refusal for the account's request log. Answering services report their own refusals. */
function report(
  exchange: Exchange,
  path: string,
  key: KeyContext,
  error: GatewayError,
  { refusals }: RelayDependencies,
): void {
  refusals.add({
    requestId: exchange.requestId,
    accountId: key.accountId ?? '',
    keyId: key.keyId ?? '',
    cell: key.cell ?? '',
    model: '',
    endpoint: path,
    startedAtMs: Math.round(Date.now() - (performance.now() - exchange.startedMs)),
    error,
  });
}

/** Maximum age of the cached key by which a call is refused: a pushed change has removed it before. */
const REFUSING_KEY_AGE_MS = 100;

/** @throws GatewayError `invalid_api_key` also for a key that may not be used from the client's address */
async function resolveKey(exchange: Exchange, route: Endpoint, deps: ApiDependencies): Promise<KeyContext> {
  const { request, query, clientAddress } = exchange;
  const { keys } = deps;
  const google = route.acceptsGoogleKey ? googleKeys(request, query) : [];
  const presented = readApiKey({ ...presentedCredentials(request), google });
  if (!presented) throw new GatewayError('invalid_api_key');
  let { context } = await keys.resolve(presented, route.maxKeyAgeMs);
  const admits = () => allowsAddress(context, clientAddress) && isInScope(context, route.scope);
  if (!admits()) ({ context } = await keys.resolve(presented, REFUSING_KEY_AGE_MS));
  // Operators find the request also if the address is refused.
  exchange.caller = { accountId: context.accountId ?? '', keyId: context.keyId ?? '' };
  if (!allowsAddress(context, clientAddress)) throw new GatewayError('invalid_api_key');
  return { ...context, clientAddress };
}

/** @throws GatewayError `not_found` for an endpoint that the key may not call */
export function assertInScope(key: KeyContext, { scope }: Endpoint): void {
  if (scope !== undefined && !isInScope(key, scope)) throw outOfScope(scope);
}

/** A key never leaves edge. Its name may be percent-encoded. */
function withoutKey(query: string): string {
  if (!/key|%/.test(query)) return query;
  const parameters = new URLSearchParams(query);
  parameters.delete('key');
  return parameters.toString();
}

/** Returns the upload for a form, which is streamed; undefined for any other body. */
function openUpload(
  exchange: Exchange,
  route: Endpoint,
  key: KeyContext,
  { uploadLimits }: ApiDependencies,
): StreamedUpload | undefined {
  if (!route.form || !isForm(exchange.request)) return undefined;
  return new StreamedUpload(exchange, uploadLimits, key.accountId ?? '');
}
