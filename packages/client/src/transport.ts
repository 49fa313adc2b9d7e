import { Call, type CallRequest } from './call.ts';
import type { Clock } from './clock.ts';
import { errorOfEnvelope, GatewayError, isGatewayError } from './gateway-error.ts';
import type { CallOptions } from './options.ts';
import { connectionFailed, startWatch, type Watch } from './watch.ts';

const MAX_ERROR_BYTES = 1024 * 1024;
/** Images as base64: the gateway reads at most 128 MiB of them. */
const MAX_REPLY_BYTES = 256 * 1024 * 1024;
/** Failures of Node's `fetch` before anything was sent. Browsers don't tell. */
const UNSENT_CODES = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** How to reach the gateway. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly defaults: CallOptions;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Sends a request, again as the rules of its errors allow, and returns the JSON of the reply. */
export async function requestJson<Reply>(
  connection: Connection,
  request: CallRequest,
  options: CallOptions = {},
): Promise<Reply> {
  const call = new Call(connection.clock, request, { ...connection.defaults, ...options });
  for (;;) {
    try {
      return await attemptJson<Reply>(connection, call);
    } catch (thrown) {
      await call.beforeRetry(thrown);
    }
  }
}

async function attemptJson<Reply>(connection: Connection, call: Call): Promise<Reply> {
  const watch = startWatch(call.options.signal, call.remainingMs);
  try {
    const response = await open(connection, call, watch);
    const text = await readText(response, MAX_REPLY_BYTES, watch);
    return parseJson<Reply>(text) ?? unexpected(response);
  } finally {
    watch.end();
  }
}

/** Sends a request once and returns its successful response, whose body is not read yet. @throws GatewayError */
export async function open(connection: Connection, call: Call, watch: Watch): Promise<Response> {
  const body = call.nextBody();
  const { method, path } = call.request;
  const headers = headersOf(connection, call, body);
  // A redirect would send the request to a server that the caller has not named.
  const init = { method, headers, signal: watch.signal, redirect: 'error' as const };
  const send = () =>
    connection.fetch(`${connection.baseUrl}${path}`, body === undefined ? init : { ...init, body });
  const response = await orFailure(send, watch);
  if (!response.ok) throw await errorOf(response, watch, connection.clock.now());
  const cost = numberOf(response.headers.get('x-gateway-cost'));
  call.options.onResponse?.({ requestId: requestIdOf(response), cost, headers: response.headers });
  return response;
}

function headersOf({ apiKey }: Connection, { options, idempotencyKey }: Call, body: unknown): Headers {
  const headers = new Headers(options.headers);
  headers.set('authorization', `Bearer ${options.apiKey ?? apiKey}`);
  // `fetch` sets the type of a form, with its boundary.
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  return headers;
}

/**
 * Yields a response's text as it arrives.
 * @param idleMs the longest time to wait for each piece, beside the deadline
 * @throws GatewayError `connection_failed` if it breaks off
 */
export async function* readTexts(
  response: Response,
  watch: Watch,
  idleMs: () => number | undefined = () => undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    watch.expectWithin(idleMs());
    const read = reader && (await orFailure(() => reader.read(), watch));
    // However long the reader of these texts takes.
    watch.expectWithin(undefined);
    if (!read || read.done) return;
    yield decoder.decode(read.value, { stream: true });
  }
}

async function readText(response: Response, maxChars: number, watch: Watch): Promise<string> {
  const pieces: string[] = [];
  let chars = 0;
  for await (const piece of readTexts(response, watch)) {
    pieces.push(piece);
    chars += piece.length;
    if (chars > maxChars) unexpected(response);
  }
  return pieces.join('');
}

async function errorOf(response: Response, watch: Watch, nowMs: number): Promise<GatewayError> {
  const { headers, status } = response;
  const text = await readText(response, MAX_ERROR_BYTES, watch);
  const shouldRetry = headers.get('x-should-retry');
  const fields = {
    status,
    requestId: requestIdOf(response),
    shouldRetry: shouldRetry === null ? undefined : shouldRetry !== 'false',
    retryAfterMs: retryAfterMsOf(headers.get('retry-after'), nowMs),
  };
  return errorOfEnvelope(parseJson(text), fields) ?? unexpected(response);
}

export const requestIdOf = ({ headers }: Response): string | undefined =>
  headers.get('x-request-id') ?? undefined;

/** The gateway sends seconds; a proxy in front of it may send a date. */
function retryAfterMsOf(text: string | null, nowMs: number): number | undefined {
  const seconds = numberOf(text);
  if (seconds !== undefined) return seconds * 1_000;
  const dateMs = Date.parse(text ?? '');
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** Runs a step of an attempt. @throws the reason why the attempt was aborted, or GatewayError `connection_failed` */
async function orFailure<T>(step: () => Promise<T>, { signal }: Watch): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (isGatewayError(cause)) throw cause;
    throw connectionFailed({ cause, isUnsent: UNSENT_CODES.has(codeOfCause(cause)) });
  }
}

const codeOfCause = (thrown: unknown): string =>
  String((thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code);

/** @throws GatewayError `unexpected_response` */
export function unexpected(response: Response): never {
  const { status } = response;
  const message = `Status ${status} without a reply of the gateway.`;
  throw new GatewayError('unexpected_response', message, { status, requestId: requestIdOf(response) });
}

function parseJson<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a header's number if it is one and not negative. */
function numberOf(text: string | null): number | undefined {
  const value = Number(text ?? Number.NaN);
  return text !== '' && value >= 0 ? value : undefined;
}
