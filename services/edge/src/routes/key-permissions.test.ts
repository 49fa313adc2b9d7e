import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError } from '../testing/expect-error';

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
