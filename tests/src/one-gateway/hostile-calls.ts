import { until } from '@gateway/testing';
import { beforeAll, expect, test } from '@jest/globals';
import { openStream, postJson } from '../support/http';
import { readLedger } from '../support/ledger';
import { cpuMs } from '../support/process-cpu';
import type { Customer, System } from '../support/system';

const MAX_COST_MS = 5_000;

export function testHostileCalls(gateway: () => System): void {
  let system: System;
  let customer: Customer;
  let chatUrl: string;

  beforeAll(async () => {
    system = gateway();
    customer = await system.provision();
    chatUrl = `${system.stack.apiUrl}/v1/chat/completions`;
  }, 60_000);

  /** CPU time of the gateway's processes. */
  const gatewayMs = () => system.stack.processes().reduce((sum, { pid }) => sum + cpuMs(pid), 0);

  const slow = { role: 'user', content: 'x [[sim {"chunks":5000,"chunk_delay_ms":5}]]' };

  test('a call whose prompt cannot be counted is settled after its client disconnects', async () => {
    const parameters = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const body = `{"model":"sim/chat","stream":true,"max_tokens":100,"messages":[${JSON.stringify(slow)}],"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]}`;
    const stream = await openStream(chatUrl, body, customer.apiKey);
    expect([200, 400, 502]).toContain(stream.status);
    stream.leave();
    await system.settled(customer, 5_000);
  });

  test('excessive bodies are rejected without much CPU time', async () => {
    const beforeMs = gatewayMs();
    const many = JSON.stringify({ model: 'sim/chat', messages: Array(1_000_000).fill({}) });
    const keys = Object.fromEntries(Array.from({ length: 200_000 }, (_value, index) => [`k${index}`, 1]));
    const values = { k: Array(200_000).fill(1) };
    const faulty = { model: 'sim/chat', messages: [{}] };
    const answers = await Promise.all([
      postJson(chatUrl, many, customer.apiKey),
      postJson(chatUrl, { ...faulty, metadata: keys }, customer.apiKey),
      postJson(chatUrl, { ...faulty, metadata: values }, customer.apiKey),
    ]);
    expect(answers.map(({ json: { error } }) => [error.code, error.detail])).toEqual([
      ['invalid_request', 'too many values in the body'],
      ['invalid_request', 'too many different keys in the body'],
      ['missing_parameter', 'messages[0].role is required'],
    ]);
    expect(gatewayMs() - beforeMs).toBeLessThan(MAX_COST_MS);
  }, 60_000);

  test('a client that stops reading holds the provider back and is billed for what was sent', async () => {
    const content = 'x [[sim {"chunks":100000}]]';
    const body = JSON.stringify({ model: 'sim/chat', stream: true, messages: [{ role: 'user', content }] });
    const stream = await openStream(chatUrl, body, customer.apiKey);
    await until(async () => (await system.meter({ limit: 1 })).in_flight === 1);
    stream.leave();
    await system.settled(customer);
    const { charges } = await readLedger(system, customer);
    expect(charges.get(`${stream.headers['x-request-id']}`)).toBeGreaterThan(0n);
    expect(await system.drift()).toBe(0);
  }, 30_000);

  test('after all hostile calls every service still runs', async () => {
    await system.stack.ready();
    expect(system.stack.processes()).toHaveLength(8);
  });
}
