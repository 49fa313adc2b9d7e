import { GatewayError } from '@gateway/errors';
import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { ModelDirectory } from '../clients/model-directory';
import { keyAnswer, keyUseAnswer, listOf, newKeyAnswer } from './answers';
import type { Endpoint, EndpointDoc, UserCall } from './endpoint';
import { createKeyBody, toCreateKeyRequest, toUpdateKeyRequest, updateKeyBody } from './key-input';
import { modelSlug, noFields, pageQuery, parseBody, parseQuery } from './parse-input';
import { toKeyJson, toKeyUseJson, toList, toNewKeyJson } from './to-json';

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

const rotateBody = z.strictObject({ grace_seconds: z.number().int().min(0).max(MAX_GRACE_SECONDS) });

export function keyEndpoints(billing: Billing, models: ModelDirectory): Endpoint[] {
  const endpoint = (
    method: 'GET' | 'POST',
    path: string,
    handle: (billing: Billing, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): Endpoint => ({
    method,
    path,
    access: method === 'GET' ? 'viewer' : 'member',
    handle: (call: UserCall) => handle(billing, call),
    doc,
  });
  return [
    endpoint('GET', '/keys', listKeys, {
      summary: "List the account's keys",
      query: pageQuery,
      answer: listOf(keyAnswer),
    }),
    endpoint('POST', '/keys', (_, call) => createKey(billing, models, call), {
      summary: 'Create a key',
      body: createKeyBody,
      answer: newKeyAnswer,
    }),
    endpoint('GET', '/keys/:id', getKey, { summary: 'Retrieve a key', answer: keyAnswer }),
    endpoint('GET', '/keys/:id/use', getKeyUse, {
      summary: "Retrieve a key's current usage against its limits",
      answer: keyUseAnswer,
    }),
    endpoint('POST', '/keys/:id/update', (_, call) => updateKey(billing, models, call), {
      summary: 'Update a key; omitted fields stay unchanged, `null` removes a limit',
      body: updateKeyBody,
      answer: keyAnswer,
    }),
    endpoint('POST', '/keys/:id/rotate', rotateKey, {
      summary: 'Rotate a key: create a new value; the old one works for a grace period',
      body: rotateBody,
      answer: newKeyAnswer,
    }),
    endpoint('POST', '/keys/:id/regenerate', regenerateKey, {
      summary: 'Regenerate a key: create a new value; the old ones stop working at once',
      answer: newKeyAnswer,
    }),
    endpoint('POST', '/keys/:id/enable', (_, call) => setEnabled(billing, call, true), {
      summary: 'Enable a key',
      answer: keyAnswer,
    }),
    endpoint('POST', '/keys/:id/disable', (_, call) => setEnabled(billing, call, false), {
      summary: 'Disable a key',
      answer: keyAnswer,
    }),
    endpoint('POST', '/keys/:id/delete', deleteKey, {
      summary: 'Permanently delete a key',
      answer: keyAnswer,
    }),
  ];
}

async function listKeys(billing: Billing, { context, user, query }: UserCall) {
  const { keys, nextCursor } = await billing.listKeys(context, user.accountId, parseQuery(pageQuery, query));
  return toList(keys.map(toKeyJson), nextCursor);
}

async function createKey(billing: Billing, models: ModelDirectory, { context, user, body }: UserCall) {
  const given = withSlugs(models, parseBody(createKeyBody, body));
  const request = toCreateKeyRequest(user.accountId, given);
  return toNewKeyJson(await billing.createKey(context, request));
}

async function getKey(billing: Billing, { context, user, params }: UserCall) {
  return toKeyJson(await billing.getKey(context, user.accountId, params.id ?? ''));
}

async function getKeyUse(billing: Billing, { context, user, params }: UserCall) {
  return toKeyUseJson(await billing.getKeyUse(context, user.accountId, params.id ?? ''));
}

async function updateKey(billing: Billing, models: ModelDirectory, call: UserCall) {
  const { context, user, params, body } = call;
  const given = withSlugs(models, parseBody(updateKeyBody, body));
  return toKeyJson(
    await billing.updateKey(context, toUpdateKeyRequest(user.accountId, params.id ?? '', given)),
  );
}

/**
 * Returns an allowlist of slugs, by which calls are checked; an alias becomes its model's slug. A slug may be listed later.
 * Throws `invalid_request` for other names.
 */
function withSlugs<T extends { readonly allowed_models?: string[] | null | undefined }>(
  models: ModelDirectory,
  given: T,
): T {
  if (!given.allowed_models?.length) return given;
  const slugs = given.allowed_models.map((name) => {
    const slug = models.find(name)?.slug ?? name;
    if (modelSlug.safeParse(slug).success) return slug;
    throw new GatewayError('invalid_request', { detail: `allowed_models: ${name} is not a model` });
  });
  return { ...given, allowed_models: [...new Set(slugs)] };
}

/** The old value works during the grace period, then returns `expired_api_key`. */
async function rotateKey(billing: Billing, { context, user, params, body }: UserCall) {
  const { grace_seconds } = parseBody(rotateBody, body);
  return toNewKeyJson(await billing.rotateKey(context, user.accountId, params.id ?? '', grace_seconds));
}

/** Every old value becomes unknown at once. */
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
