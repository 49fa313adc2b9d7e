import { randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { LinkRequest } from '@gateway/link';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { Quota } from '@gateway/quota';
import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, RelayEndpoint, RelayedCall, UserCall } from './endpoint';
import { parseBody } from './parse-input';

type Carrier = RelayedCall['carrier'];

export interface PlaygroundDependencies {
  readonly billing: Billing;
  /** Calls in flight per account. */
  readonly calls: Quota;
  /** The paths of a service that is not there don't exist. */
  readonly carriers: { readonly chat?: Carrier | undefined; readonly media?: Carrier | undefined };
}

const TIMEOUT_MS = 600_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The rest is for the service that answers to judge. */
const keyed = z.looseObject({ key_id: z.string().min(1).max(128) });

/** Calls as callers of `/v1` make them, with one of the account's keys: admitted, billed and recorded as those. */
export function playgroundEndpoints({ billing, calls, carriers }: PlaygroundDependencies): Endpoint[] {
  const endpoint = (
    [method, path]: readonly ['GET' | 'POST', string],
    carrier: Carrier | undefined,
    toRequest: (call: UserCall) => Promise<LinkRequest>,
    doc: RelayEndpoint['doc'],
    more: Pick<RelayEndpoint, 'form'> = {},
  ): Endpoint[] =>
    carrier
      ? [
          {
            method,
            path: `/playground/${path}`,
            access: method === 'GET' ? 'viewer' : 'member',
            relay: (call) => relay(calls, carrier, call, toRequest),
            doc,
            ...more,
          },
        ]
      : [];
  const keyedCall = (path: (params: UserCall['params']) => string) => (call: UserCall) =>
    toKeyedRequest(billing, call, path(call.params));
  const video = (action: string, summary: string) =>
    endpoint(
      ['POST', `videos/:provider/${action}`],
      carriers.media,
      keyedCall(({ provider = '' }) => `/v1/videos/${encodeURIComponent(provider)}/${action}`),
      { summary, relays: `/v1/videos/{provider}/${action}` },
    );
  return [
    ...endpoint(
      ['POST', 'chat'],
      carriers.chat,
      keyedCall(() => '/v1/chat/completions'),
      {
        summary: 'Chat with one of the own keys',
        relays: '/v1/chat/completions',
      },
    ),
    ...endpoint(
      ['POST', 'images'],
      carriers.media,
      keyedCall(() => '/v1/images'),
      {
        summary: 'Make images with one of the own keys',
        relays: '/v1/images',
      },
    ),
    ...endpoint(
      ['POST', 'images/edits'],
      carriers.media,
      (call) => toFormRequest(billing, call, '/v1/images/edits'),
      {
        summary: 'Edit images with one of the own keys',
        relays: '/v1/images/edits',
      },
      { form: true },
    ),
    ...video('create', 'Order a video with one of the own keys'),
    ...video('status', 'How far a video is'),
    ...video('result', 'The video that was ordered'),
    ...endpoint(['GET', 'videos/files/:token'], carriers.media, async (call) => toFileRequest(call), {
      summary: 'The file of a video, where its link is one to `/v1/videos/files/{token}`',
      relays: '/v1/videos/files/{token}',
    }),
  ];
}

async function relay(
  calls: Quota,
  carrier: Carrier,
  call: UserCall,
  toRequest: (call: UserCall) => Promise<LinkRequest>,
): Promise<RelayedCall> {
  const done = calls.lease(call.user.accountId);
  try {
    return { carrier, request: await toRequest(call), done };
  } catch (error) {
    done();
    throw error;
  }
}

async function toKeyedRequest(billing: Billing, call: UserCall, path: string): Promise<LinkRequest> {
  const { key_id, ...body } = parseBody(keyed, call.body);
  const open = await openOf(billing, call, path, key_id, 'application/json');
  return { open, body: Buffer.from(JSON.stringify(body)) };
}

/** The form goes on as it is, so its key is named beside it. */
async function toFormRequest(billing: Billing, call: UserCall, path: string): Promise<LinkRequest> {
  const { key_id } = parseBody(keyed, call.query);
  const open = await openOf(billing, call, path, key_id, call.formType ?? '');
  return { open: { ...open, bodyStreams: true }, body: Buffer.alloc(0) };
}

async function openOf(
  billing: Billing,
  call: UserCall,
  path: string,
  keyId: string,
  contentType: string,
): Promise<LinkRequest['open']> {
  const { idempotencyKey } = call;
  return {
    requestId: requestIdOf(call),
    method: 'POST',
    path,
    key: await keyOf(billing, call, keyId),
    headers: [
      { name: 'content-type', value: contentType },
      ...(idempotencyKey === undefined ? [] : [{ name: 'idempotency-key', value: idempotencyKey }]),
    ],
    timeoutMs: TIMEOUT_MS,
  };
}

/** A video that only the gateway may fetch: pages can't follow its link, which is one of the other address space. */
function toFileRequest(call: UserCall): LinkRequest {
  const path = `/v1/videos/files/${encodeURIComponent(call.params.token ?? '')}`;
  const open = { requestId: requestIdOf(call), method: 'GET', path, key: {}, headers: [] };
  return { open: { ...open, timeoutMs: TIMEOUT_MS }, body: Buffer.alloc(0) };
}

/** Edge gave the call its id; a hold needs one of this kind. */
const requestIdOf = ({ context: { requestId } }: UserCall): string =>
  UUID_V7.test(requestId) ? requestId : randomUUIDv7();

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
