import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from './testing/edge-fixture';

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture();
});
afterAll(() => fixture.stop());

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('an API call', () => {
  test('reaches chat with its body and who calls, and the reply reaches the caller', async () => {
    const reply = await fetch(`${fixture.apiUrl}/v1/chat/completions?x=1`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json; charset=utf-8',
        cookie: 'a=b',
        'x-request-id': 'mine',
      },
      body: '{"model":"sim/chat"}',
    });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ ok: true });
    expect(reply.headers.get('x-request-id')).toMatch(UUID_V7);
    expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'));
    expect(reply.headers.get('x-powered-by')).toBeNull();
    const { call, context } = fixture.chat.lastCall!;
    expect(context.requestId).toBe(reply.headers.get('x-request-id'));
    expect(call).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(call.key).toMatchObject({ keyId: 'key-1', accountId: 'account-1' });
    expect(call.body.toString()).toBe('{"model":"sim/chat"}');
    expect(Object.keys(call.headers).sort()).toEqual(['accept', 'content-type', 'user-agent']);
  });
});
