import { GatewayError } from '@gateway/errors';
import type { LinkCall, LinkHandler } from '@gateway/link';
import { canCall, ModelNotAllowed, type ModelPermissions } from '@gateway/models';
import type { RequestContext } from '@gateway/rpc';
import { describe, expect, test } from '@jest/globals';
import { retryWithCurrentKey, withCurrentKey } from './with-current-key';

const model = { slug: 'sim/new', outputModalities: ['text'], active: true, preview: true };
const CONTEXT = {} as RequestContext;

const key = (previewModels: string[]) => ({
  keyId: 'k',
  accountId: 'a',
  allowedModels: [],
  previewModels,
  valueId: 'v',
  bareModelNames: false,
  hasTpmLimit: false,
  scopes: [],
  allowedIps: [],
  clientAddress: '',
  noFallbackModels: false,
  dropUnsupportedTools: false,
  detailedMessages: false,
  cell: '',
});
const callTo = (slug: string, previewModels: string[] = []) =>
  ({ path: slug, key: key(previewModels) }) as unknown as LinkCall;

/** Returns a handler that answers with the preview models of the key, and records the keys that it saw. */
function handlerOf(seen: ModelPermissions[]): LinkHandler {
  return async (_context, call) => {
    seen.push(call.key);
    if (call.path !== model.slug) throw new GatewayError('model_not_found');
    if (!canCall(model, call.key)) throw new ModelNotAllowed(model);
    return { status: 200, headers: {}, body: Buffer.from(call.key.previewModels.join()) };
  };
}

/** Returns a lookup of current keys that counts its calls. */
function currentKeys(answer: string[] | GatewayError) {
  const keys = {
    lookups: 0,
    current: async () => {
      keys.lookups++;
      if (answer instanceof GatewayError) throw answer;
      return key(answer);
    },
  };
  return keys;
}

describe('a call to a model that the cached key may not call', () => {
  test('is retried with the current key', async () => {
    const seen: ModelPermissions[] = [];
    const reply = await retryWithCurrentKey(currentKeys(['sim/new']), handlerOf(seen))(
      CONTEXT,
      callTo('sim/new'),
    );
    expect(String(reply.body)).toBe('sim/new');
    expect(seen).toHaveLength(2);
  });

  test.each([
    [[], 'model_not_found'],
    [['sim/other'], 'model_not_found'],
    [new GatewayError('expired_api_key'), 'expired_api_key'],
  ])('is refused when the current key is %p: %s', async (now, code) => {
    const seen: ModelPermissions[] = [];
    const answer = retryWithCurrentKey(currentKeys(now), handlerOf(seen))(CONTEXT, callTo('sim/new'));
    await expect(answer).rejects.toMatchObject({ code });
    expect(seen).toHaveLength(1);
  });
});

test.each([
  ['a model that the key may call', callTo('sim/new', ['sim/new'])],
  ['an unknown model', callTo('sim/unknown')],
  ['no model', callTo('nonsense')],
])('a call to %s does not look up the current key', async (_, call) => {
  const keys = currentKeys([]);
  await retryWithCurrentKey(keys, handlerOf([]))(CONTEXT, call).catch(() => undefined);
  expect(keys.lookups).toBe(0);
});

test('a handler wrapped with withCurrentKey sees the current key', async () => {
  const reply = await withCurrentKey(currentKeys(['sim/new']), handlerOf([]))(CONTEXT, callTo('sim/new'));
  expect(String(reply.body)).toBe('sim/new');
});
