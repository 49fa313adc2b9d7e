import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { createKeyBody, toCreateKeyRequest, toUpdateKeyRequest, updateKeyBody } from './key-input';
import { noFields, pageQuery, parseBody, parseQuery } from './parse-input';
import { toKeyJson, toList, toNewKeyJson } from './to-json';

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

const rotateBody = z.strictObject({ grace_seconds: z.number().int().min(0).max(MAX_GRACE_SECONDS) });

export function keyEndpoints(billing: Billing): Endpoint[] {
  const endpoint = (
    method: 'GET' | 'POST',
    path: string,
    handle: (billing: Billing, call: UserCall) => Promise<unknown>,
  ): Endpoint => ({
    method,
    path,
    access: method === 'GET' ? 'viewer' : 'member',
    handle: (call: UserCall) => handle(billing, call),
  });
  return [
    endpoint('GET', '/keys', listKeys),
    endpoint('POST', '/keys', createKey),
    endpoint('GET', '/keys/:id', getKey),
    endpoint('POST', '/keys/:id/update', updateKey),
    endpoint('POST', '/keys/:id/rotate', rotateKey),
    endpoint('POST', '/keys/:id/regenerate', regenerateKey),
    endpoint('POST', '/keys/:id/enable', (_, call) => setEnabled(billing, call, true)),
    endpoint('POST', '/keys/:id/disable', (_, call) => setEnabled(billing, call, false)),
    endpoint('POST', '/keys/:id/delete', deleteKey),
  ];
}

async function listKeys(billing: Billing, { context, user, query }: UserCall) {
  const { keys, nextCursor } = await billing.listKeys(context, user.accountId, parseQuery(pageQuery, query));
  return toList(keys.map(toKeyJson), nextCursor);
}

async function createKey(billing: Billing, { context, user, body }: UserCall) {
  const request = toCreateKeyRequest(user.accountId, parseBody(createKeyBody, body));
  return toNewKeyJson(await billing.createKey(context, request));
}

async function getKey(billing: Billing, { context, user, params }: UserCall) {
  return toKeyJson(await billing.getKey(context, user.accountId, params.id ?? ''));
}

async function updateKey(billing: Billing, { context, user, params, body }: UserCall) {
  const given = parseBody(updateKeyBody, body);
  return toKeyJson(
    await billing.updateKey(context, toUpdateKeyRequest(user.accountId, params.id ?? '', given)),
  );
}

/** The old value works on for the grace, then answers `expired_api_key`. */
async function rotateKey(billing: Billing, { context, user, params, body }: UserCall) {
  const { grace_seconds } = parseBody(rotateBody, body);
  return toNewKeyJson(await billing.rotateKey(context, user.accountId, params.id ?? '', grace_seconds));
}

/** Every old value is unknown at once. */
async function regenerateKey(billing: Billing, { context, user, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return toNewKeyJson(await billing.regenerateKey(context, user.accountId, params.id ?? ''));
}

async function setEnabled(billing: Billing, { context, user, params, body }: UserCall, enabled: boolean) {
  parseBody(noFields, body ?? {});
  return toKeyJson(await billing.setKeyEnabled(context, user.accountId, params.id ?? '', enabled));
}

async function deleteKey(billing: Billing, { context, user, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return toKeyJson(await billing.deleteKey(context, user.accountId, params.id ?? ''));
}
