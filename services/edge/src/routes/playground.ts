import { type Endpoint, findEndpoint } from '@gateway/endpoints';
import { GatewayError } from '@gateway/errors';
import { parseJsonObject } from '@gateway/json-body';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { type BufferedBody, NO_BODY } from '../http/buffered-body';
import type { Exchange } from '../http/exchange';
import { type BodyLimits, readBody } from '../http/read-body';
import { assertJsonBody, forwardedHeaders, isForm } from '../http/request-headers';
import { StreamedUpload } from '../http/send-body';
import { assertInScope, linkOf, type RelayDependencies, relayApiCall } from './api';

export interface PlaygroundDependencies extends RelayDependencies {
  readonly bodyLimits: BodyLimits;
  /**
   * Returns what the key may do. A call without a key has an empty `keyId`.
   * @throws GatewayError `invalid_api_key` when the login has ended; `not_found` for another account's key, or a user
   *   who may not make the call
   */
  authorize(request: { loginToken: string; keyId: string }, requestId: string): Promise<KeyContext>;
}

export const PLAYGROUND_PREFIX = '/api/v1/playground/';
const MAX_KEY_ID = 128;
/** A conversation has far fewer. */
const MAX_BODY_VALUES = 250_000;

/**
 * Answers an API call that a user of the dashboard makes with one of the account's keys. The call is admitted, billed
 * and recorded like any other of that key.
 */
export async function answerPlayground(
  exchange: Exchange,
  loginToken: string,
  sender: string,
  deps: PlaygroundDependencies,
): Promise<void> {
  const { request, requestId } = exchange;
  const { route, path } = findPlaygroundRoute(request.method ?? '', exchange.path);
  linkOf(route, deps);
  exchange.response.setHeader('cache-control', 'no-store');
  const authorize = async (keyId: string) => {
    const key = await deps.authorize({ loginToken, keyId }, requestId);
    assertInScope(key, route);
    return key;
  };
  // A browser reads no response before it has sent the whole body.
  exchange.lingerMs = deps.bodyLimits.timeoutMs;
  const call = { route, path, headers: forwardedHeaders(request) };
  if (route.keyless) {
    await authorize('');
    return relayApiCall(exchange, { ...call, key: {}, body: NO_BODY, upload: undefined }, deps);
  }
  if (route.form && isForm(request)) {
    const key = await authorize(readKeyId(new URLSearchParams(exchange.query).getAll('key_id')));
    const upload = new StreamedUpload(exchange, deps.uploadLimits, sender);
    return relayApiCall(exchange, { ...call, key, body: NO_BODY, upload }, deps);
  }
  assertJsonBody(request);
  const received = await readBody(exchange, deps.bodyLimits, sender);
  try {
    const { keyId, body } = takeKeyId(received);
    return await relayApiCall(
      exchange,
      { ...call, key: await authorize(keyId), body, upload: undefined },
      deps,
    );
  } finally {
    received.release();
  }
}

/** @throws GatewayError `not_found` */
function findPlaygroundRoute(method: string, path: string): { route: Endpoint; path: string } {
  const rest = path.slice(PLAYGROUND_PREFIX.length);
  const apiPath = `/v1/${rest === 'chat' ? 'chat/completions' : rest}`;
  const route = findEndpoint(method, apiPath);
  if (!route?.playground || rest === 'chat/completions') throw new GatewayError('not_found');
  return { route, path: apiPath };
}

/** Separates the `key_id` of a JSON body from the members that are relayed. */
function takeKeyId(received: BufferedBody): { keyId: string; body: BufferedBody } {
  const { value } = parseJsonObject(received.bytes, { maxValues: MAX_BODY_VALUES });
  const { key_id, ...rest } = value;
  const keyId = readKeyId([key_id]);
  return { keyId, body: { bytes: Buffer.from(JSON.stringify(rest)), release: received.release } };
}

function readKeyId([keyId, ...more]: readonly unknown[]): string {
  if (keyId === undefined || keyId === null || keyId === '') {
    throw new GatewayError('missing_parameter', { param: 'key_id' });
  }
  if (typeof keyId !== 'string' || keyId.length > MAX_KEY_ID || more.length > 0) {
    throw new GatewayError('invalid_request', {
      detail: `key_id: must be given exactly once, with at most ${MAX_KEY_ID} characters`,
    });
  }
  return keyId;
}
