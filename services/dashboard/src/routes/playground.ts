import { randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/proto';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { LinkRequest } from '@gateway/runtime';
import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { CallPlaces } from '../domain/call-places';
import type { Endpoint, RelayedCall, UserCall } from './endpoint';
import { parseBody } from './parse-input';

type Carrier = RelayedCall['carrier'];

export interface PlaygroundDependencies {
  readonly billing: Billing;
  /** For the calls that each account has under way. */
  readonly places: CallPlaces;
  /** The paths of a service that is not there don't exist. */
  readonly carriers: { readonly chat?: Carrier | undefined; readonly media?: Carrier | undefined };
}

const TIMEOUT_MS = 600_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The rest is for the service that answers to judge. */
const keyed = z.looseObject({ key_id: z.string().min(1).max(128) });

/** Calls as callers of `/v1` make them, with one of the account's keys: admitted, billed and recorded as those. */
export function playgroundEndpoints({ billing, places, carriers }: PlaygroundDependencies): Endpoint[] {
  const relay = async (carrier: Carrier, call: UserCall, path: string): Promise<RelayedCall> => {
    const done = places.take(call.user.accountId);
    if (!done) throw new GatewayError('rate_limited', { retryAfterSeconds: 1 });
    try {
      return { carrier, request: await toRequest(billing, call, path), done };
    } catch (error) {
      done();
      throw error;
    }
  };
  const endpoint = (name: string, carrier: Carrier | undefined, path: string): Endpoint[] =>
    carrier
      ? [
          {
            method: 'POST',
            path: `/playground/${name}`,
            access: 'member',
            relay: (call) => relay(carrier, call, path),
          },
        ]
      : [];
  return [
    ...endpoint('chat', carriers.chat, '/v1/chat/completions'),
    ...endpoint('images', carriers.media, '/v1/images'),
  ];
}

async function toRequest(billing: Billing, call: UserCall, path: string): Promise<LinkRequest> {
  const { key_id, ...body } = parseBody(keyed, call.body);
  const { requestId } = call.context;
  const { idempotencyKey } = call;
  return {
    open: {
      // Edge gave the call its id; a hold needs one of this kind.
      requestId: UUID_V7.test(requestId) ? requestId : randomUUIDv7(),
      method: 'POST',
      path,
      key: await keyOf(billing, call, key_id),
      headers: [
        { name: 'content-type', value: 'application/json' },
        ...(idempotencyKey === undefined ? [] : [{ name: 'idempotency-key', value: idempotencyKey }]),
      ],
      timeoutMs: TIMEOUT_MS,
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** @throws GatewayError `not_found` for another account's key. Not 401 for one that is disabled: the login is good. */
async function keyOf(billing: Billing, { context, user }: UserCall, keyId: string): Promise<KeyContext> {
  await billing.getKey(context, user.accountId, keyId);
  try {
    return await billing.getKeyContext(context, user.accountId, keyId);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.row.status !== 401) throw error;
    throw new GatewayError('invalid_request', { detail: `key_id: ${error.message}`, cause: error });
  }
}
