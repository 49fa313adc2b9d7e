import { GatewayError } from '@gateway/errors';
import { isModelPattern, listOf, modelSlug, pageQuery } from '../api/fields';
import {
  createKeyBody,
  keyResponse,
  keyUseResponse,
  newKeyResponse,
  rotateBody,
  updateKeyBody,
} from '../api/keys';
import type { Billing } from '../clients/billing';
import type { ModelDirectory } from '../clients/model-directory';
import type { User } from '../domain/user';
import { type Endpoint, endpoint } from './endpoint';
import { changedBy, toCreateKeyRequest, toUpdateKeyRequest } from './key-input';
import { toKeyJson, toKeyUseJson, toList, toNewKeyJson } from './to-json';

export const keyEndpoints = (billing: Billing, models: ModelDirectory): Endpoint[] => [
  endpoint('viewer', 'GET /keys', {
    summary: "List the account's keys",
    query: pageQuery,
    response: listOf(keyResponse),
    async handle({ context, user, query }) {
      const { keys, nextCursor } = await billing.listKeys(context, user.accountId, query);
      return toList(keys.map(toKeyJson), nextCursor);
    },
  }),
  endpoint('member', 'POST /keys', {
    summary: 'Create a key',
    body: createKeyBody,
    response: newKeyResponse,
    async handle({ context, user, body }) {
      const request = toCreateKeyRequest(user, withSlugs(models, body));
      return toNewKeyJson(await billing.createKey(context, request));
    },
  }),
  endpoint('viewer', 'GET /keys/:id', {
    summary: 'Retrieve a key',
    response: keyResponse,
    handle: async ({ context, user, params }) =>
      toKeyJson(await billing.getKey(context, user.accountId, params.id ?? '')),
  }),
  endpoint('viewer', 'GET /keys/:id/use', {
    summary: "Retrieve a key's current usage against its limits",
    response: keyUseResponse,
    handle: async ({ context, user, params }) =>
      toKeyUseJson(await billing.getKeyUse(context, user.accountId, params.id ?? '')),
  }),
  endpoint('member', 'POST /keys/:id/update', {
    summary: 'Update a key; omitted fields stay unchanged, `null` removes a limit',
    body: updateKeyBody,
    response: keyResponse,
    async handle({ context, user, params, body }) {
      const request = toUpdateKeyRequest(user, params.id ?? '', withSlugs(models, body));
      return toKeyJson(await billing.updateKey(context, request));
    },
  }),
  endpoint('member', 'POST /keys/:id/rotate', {
    summary: 'Rotate a key: create a new value; the old one works for a grace period',
    body: rotateBody,
    response: newKeyResponse,
    // After the grace period, the old value returns `expired_api_key`.
    handle: async ({ context, user, params, body }) =>
      toNewKeyJson(await billing.rotateKey(context, keyOf(user, params), body.grace_seconds)),
  }),
  endpoint('member', 'POST /keys/:id/regenerate', {
    summary: 'Regenerate a key: create a new value; the old ones stop working at once',
    response: newKeyResponse,
    handle: async ({ context, user, params }) =>
      toNewKeyJson(await billing.regenerateKey(context, keyOf(user, params))),
  }),
  endpoint('member', 'POST /keys/:id/enable', {
    summary: 'Enable a key',
    response: keyResponse,
    handle: async ({ context, user, params }) =>
      toKeyJson(await billing.setKeyEnabled(context, keyOf(user, params), true)),
  }),
  endpoint('member', 'POST /keys/:id/disable', {
    summary: 'Disable a key',
    response: keyResponse,
    handle: async ({ context, user, params }) =>
      toKeyJson(await billing.setKeyEnabled(context, keyOf(user, params), false)),
  }),
  endpoint('member', 'POST /keys/:id/delete', {
    summary: 'Permanently delete a key',
    response: keyResponse,
    handle: async ({ context, user, params }) =>
      toKeyJson(await billing.deleteKey(context, user.accountId, params.id ?? '')),
  }),
];

/** The key of a call, and who changes it. */
const keyOf = (user: User, params: Readonly<Record<string, string>>) => ({
  accountId: user.accountId,
  id: params.id ?? '',
  by: changedBy(user),
});

/**
 * Returns an allowlist by which calls are checked; an alias becomes its model's slug. A slug may be listed later.
 * Throws `invalid_request` for other names.
 */
function withSlugs<T extends { readonly allowed_models?: string[] | null | undefined }>(
  models: ModelDirectory,
  given: T,
): T {
  if (!given.allowed_models?.length) return given;
  const slugs = given.allowed_models.map((name) => {
    if (isModelPattern(name)) return name;
    const slug = models.find(name)?.slug ?? name;
    if (modelSlug.safeParse(slug).success) return slug;
    throw new GatewayError('invalid_request', { detail: `allowed_models: ${name} is not a model` });
  });
  return { ...given, allowed_models: [...new Set(slugs)] };
}
