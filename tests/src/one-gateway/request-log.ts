import { beforeAll, expect, test } from '@jest/globals';
import { postJson, sendRequest } from '../support/http';
import type { System } from '../support/system';

export function testRequestLog(gateway: () => System): void {
  let system: System;

  beforeAll(() => {
    system = gateway();
  });

  /** Its repetition is answered by what is stored. */
  const image = (apiKey: string) =>
    postJson(`${system.stack.apiUrl}/v1/images`, { model: 'sim/image', prompt: 'A cat.' }, apiKey, {
      'idempotency-key': 'the same',
    });
  const getJson = (url: string, token: string) =>
    sendRequest(url, 'GET', { authorization: `Bearer ${token}` });

  test('has each call of the account within three seconds, whichever service refused it', async () => {
    const customer = await system.provision({ balanceUsd: 1 });
    const { apiUrl, dashboardUrl } = system.stack;
    const dashboard = `${dashboardUrl}/api/v1`;
    const call = (model: string) =>
      postJson(
        `${apiUrl}/v1/chat/completions`,
        { model, messages: [{ role: 'user', content: 'hi' }] },
        customer.apiKey,
      );
    const played = await postJson(
      `${dashboard}/playground/chat`,
      { key_id: customer.keyId, model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }] },
      customer.token,
    );
    const paid = await call('sim/chat');
    const unknown = await call('sim/none');
    const wrong = await postJson(`${apiUrl}/v1/messages`, [], customer.apiKey);
    expect([played, paid, unknown, wrong].map(({ status }) => status)).toEqual([200, 200, 404, 400]);

    const untilMs = Date.now() + 3_000;
    let listed: {
      id: string;
      model: string | null;
      status: number;
      error_code: string | null;
      cost: number;
    }[] = [];
    while (listed.length < 4 && Date.now() < untilMs) {
      listed = (await getJson(`${dashboard}/requests`, customer.token)).json.data;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(listed).toMatchObject([
      { status: 400, error_code: 'invalid_request', cost: 0 },
      { status: 404, error_code: 'model_not_found', model: 'sim/none', cost: 0 },
      { status: 200, error_code: null, model: 'sim/chat' },
      { status: 200, error_code: null, model: 'sim/chat' },
    ]);
    expect(listed[2]!.cost).toBeGreaterThan(0);
    expect(listed.map(({ id }) => id)).toEqual(
      [wrong, unknown, paid, played].map(({ headers }) => headers['x-request-id']),
    );
    const { data } = (await getJson(`${dashboard}/usage`, customer.token)).json;
    expect(data).toMatchObject([{ calls: 4, errors: 2 }]);
  }, 60_000);

  test('lets an operator find any request by the X-Request-Id of its response', async () => {
    const customer = await system.provision({ balanceUsd: 1 });
    const { apiUrl, dashboardUrl } = system.stack;
    const key = { authorization: `Bearer ${customer.apiKey}` };
    const login = { authorization: `Bearer ${customer.token}` };
    const responses = [
      await postJson(
        `${apiUrl}/v1/chat/completions`,
        { model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }] },
        customer.apiKey,
      ),
      await postJson(`${apiUrl}/v1/chat/completions`, { model: 'sim/none', messages: [] }, customer.apiKey),
      await postJson(`${apiUrl}/v1/videos/sim/status`, { task_id: 'task_none' }, customer.apiKey),
      await sendRequest(`${apiUrl}/v1/models`, 'GET', key),
      await sendRequest(`${apiUrl}/v1/models/sim/chat`, 'GET', key),
      await sendRequest(`${dashboardUrl}/api/v1/keys`, 'GET', login),
      await sendRequest(`${dashboardUrl}/api/v1/keys/key_none`, 'GET', login),
      await postJson(
        `${apiUrl}/v1/responses`,
        { model: 'sim/chat', input: 'hi', background: true },
        customer.apiKey,
      ),
      await image(customer.apiKey),
      await image(customer.apiKey),
      await sendRequest(`${apiUrl}/v1/nothing`, 'GET', key),
      await sendRequest(`${apiUrl}/v1/models`, 'DELETE', key),
      await sendRequest(`${apiUrl}/v1/models`, 'GET'),
      await sendRequest(`${dashboardUrl}/api/v1/auth/login`, 'GET'),
    ];
    const operator = await system.operatorToken();
    const find = (id: string) => getJson(`${dashboardUrl}/api/v1/admin/requests/${id}`, operator);
    for (const response of responses) {
      const { headers, status } = response;
      const id = String(headers['x-request-id']);
      const untilMs = Date.now() + 5_000;
      let found = await find(id);
      while (found.status === 404 && Date.now() < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        found = await find(id);
      }
      expect(found.json).toMatchObject({ id, status });
      // The last four are refused before or by the check of their credentials.
      const isKnown = responses.indexOf(response) < responses.length - 4;
      expect((found.json.account_id ?? found.json.user_id) !== null).toBe(isKnown);
    }
    const failed = `${dashboardUrl}/api/v1/admin/requests?account_id=${customer.id}&status=failed`;
    // The usage records arrive in batches, after edge's access-log entries.
    let ofOne = await getJson(failed, operator);
    for (const untilMs = Date.now() + 5_000; ofOne.json.data.length < 2 && Date.now() < untilMs; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      ofOne = await getJson(failed, operator);
    }
    expect(ofOne.json.data).toMatchObject([{ account_id: customer.id }, { error_code: 'missing_parameter' }]);
    expect((await getJson(`${dashboardUrl}/api/v1/admin/requests`, customer.token)).status).toBe(404);
  }, 60_000);
}
