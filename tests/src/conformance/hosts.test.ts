import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectConforms } from '../support/conforms';
import { type HttpAnswer, sendRequest } from '../support/http';
import { type Customer, type System, startSystem } from '../support/system';
import { bearer } from './caller';

/** Serves both address spaces on one port, selected by Host. */
let system: System;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem({
    autoRestart: false,
    settings: { edge: { EDGE_API_HOSTS: 'api.test', EDGE_DASHBOARD_HOSTS: 'dashboard.test' } },
  });
  customer = await system.provision();
}, 60_000);
afterAll(() => system?.stop(), 30_000);

function get(host: string, path: string, credential: string): Promise<HttpAnswer> {
  const origin = `http://127.0.0.1:${new URL(system.stack.apiUrl).port}`;
  return sendRequest(`${origin}${path}`, 'GET', { ...bearer(credential), host });
}

test('each host serves the paths of its own address space', async () => {
  expect((await get('api.test', '/v1/models', customer.apiKey)).status).toBe(200);
  expect((await get('dashboard.test', '/api/v1/models', customer.token)).status).toBe(200);
});

test.each([
  ["the other space's host", 'dashboard.test', '/v1/models', 'key'],
  ["the other space's host", 'api.test', '/api/v1/models', 'token'],
  ['an unknown host', 'example.com', '/v1/models', 'key'],
  ['an unknown host', '127.0.0.1', '/api/v1/models', 'token'],
] as const)('not_found answers a path on %s: %s%s', async (_when, host, path, who) => {
  expectConforms(await get(host, path, who === 'key' ? customer.apiKey : customer.token), 'not_found');
});
