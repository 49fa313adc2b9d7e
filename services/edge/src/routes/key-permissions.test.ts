import { missingScope, scopeOfCall } from '@gateway/models';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError } from '../testing/expect-error';
import { API_ROUTES } from './api-routes';

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture({ EDGE_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => fixture.stop());
beforeEach(() => {
  fixture.chat.answerOk();
  fixture.chat.lastCall = undefined;
  fixture.billing.refused.length = 0;
});

/** Changes the key at billing, which pushes the change to edge. */
function change(permissions: Partial<KeyContext>): void {
  fixture.billing.keys.set(KEY, { key: { keyId: 'key-1', accountId: 'account-1', ...permissions } });
  fixture.billing.push({ keyIds: ['key-1'] });
}
const post = (path: string, from = '192.0.2.7') =>
  fetch(fixture.apiUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-forwarded-for': from },
    body: '{}',
  });

test('a key may be used from its ranges only, whatever a client claims, and the refusal does not say why', async () => {
  change({ allowedIps: ['192.0.2.0/28', '2001:db8::/32'] });
  expect((await post('/v1/chat/completions')).status).toBe(200);
  expect(fixture.chat.lastCall?.call.key.clientAddress).toBe('192.0.2.7');
  expect((await post('/v1/chat/completions', '2001:db8::7')).status).toBe(200);
  expect((await post('/v1/chat/completions', '::ffff:192.0.2.7')).status).toBe(200);
  fixture.chat.lastCall = undefined;
  for (const from of ['192.0.2.16', '192.0.2.7, 198.51.100.1', '127.0.0.1']) {
    const reply = await post('/v1/chat/completions', from);
    const unknown = await fetch(`${fixture.apiUrl}/v1/models`, { headers: { 'x-api-key': 'sk-gw-unknown' } });
    await expectFetchError(reply.clone(), 'invalid_api_key');
    expect(await reply.text()).toBe(await unknown.text());
  }
  expect(fixture.chat.lastCall).toBeUndefined();
});

test('an endpoint outside of the scopes is not_found before its body is read, and the request log has it', async () => {
  change({ scopes: ['embeddings'] });
  expect((await post('/v1/embeddings')).status).toBe(200);
  fixture.chat.lastCall = undefined;
  const refused = await post('/v1/chat/completions');
  await expectFetchError(refused.clone(), 'not_found');
  expect(await refused.text()).toContain("the key's scopes do not include chat");
  await expectFetchError(await post('/v1beta/models/sim%2Fchat:generateContent'), 'not_found');
  expect(fixture.chat.lastCall).toBeUndefined();
  await until(() => fixture.billing.refused.length === 2);
  expect(fixture.billing.refused[0]).toMatchObject({ keyId: 'key-1', errorCode: 'not_found' });
});

test('a change applies to the next call, also if the push was not received', async () => {
  change({ scopes: ['files'] });
  await expectFetchError(await post('/v1/chat/completions'), 'not_found');
  fixture.billing.keys.set(KEY, { key: { keyId: 'key-1', accountId: 'account-1', scopes: ['chat'] } });
  await until(async () => (await post('/v1/chat/completions')).status === 200);
});

test('the playground is bound to the scopes too', async () => {
  const authorization = `Bearer ${await fixture.dashboard.token()}`;
  const key = { keyId: 'key-1', accountId: 'account-1', scopes: ['images'] };
  fixture.dashboard.authorize = () => ({ key });
  const reply = await fetch(`${fixture.dashboardUrl}/api/v1/playground/chat`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ key_id: 'key-1', model: 'sim/chat', messages: [] }),
  });
  await expectFetchError(reply, 'not_found');
  expect(fixture.chat.lastCall).toBeUndefined();
});

describe('the scope of a path', () => {
  const ROUTES = API_ROUTES.filter(({ keyless }) => !keyless).map(
    (route) => [`${route.method} ${route.path}`, route] as const,
  );
  /** Paths that a key without any scope may call. */
  const UNSCOPED = [
    'GET /v1/key',
    'GET /v1/models',
    'GET /v1beta/models',
    'GET /v1/models/',
    'GET /v1beta/models/',
  ];

  test.each(ROUTES)('%s has one, or every key may call it', (name, { method, path, tail }) => {
    const scope = scopeOfCall(method, path + (tail ? 'id' : ''));
    expect(scope === undefined).toBe(UNSCOPED.includes(name));
  });

  test.each([
    ['POST', '/v1/messages', 'chat'],
    ['POST', '/v1/messages/count_tokens', 'chat'],
    ['POST', '/v1/messages/batches', 'batches'],
    ['GET', '/v1/messages/batches/msgbatch_1/results', 'batches'],
    ['GET', '/v1/responses/resp_1', 'chat'],
    ['POST', '/v1/files/file-1/delete', 'files'],
    ['POST', '/v2/rerank', 'rerank'],
    ['POST', '/v1/audio/speech', 'audio'],
    ['POST', '/v1/images/edits', 'images'],
    ['GET', '/v1/videos', 'videos'],
    ['POST', '/v1beta/models/google/gemini:countTokens', 'chat'],
    ['POST', '/v1beta/models/google/gemini%3AbatchEmbedContents', 'embeddings'],
    ['POST', '/v1/audio/gemini:generateContent', 'chat'],
    ['POST', '/v1/images-inc/gemini%3astreamGenerateContent', 'chat'],
    ['POST', '/v1/files/gemini:embedContent', 'embeddings'],
    ['POST', '/v1/reranker/gemini', 'chat'],
    ['POST', '/v1/embeddings', 'embeddings'],
    ['POST', '/v1/moderations', 'moderations'],
    ['GET', '/v1/models/openai/gpt-5.5', undefined],
  ])('%s %s needs %s', (method, path, scope) => {
    expect(scopeOfCall(method, path)).toBe(scope);
    expect(missingScope({ scopes: ['billing'] }, method, path)).toBe(scope);
    expect(missingScope({ scopes: [] }, method, path)).toBeUndefined();
  });
});
