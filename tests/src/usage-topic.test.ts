import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';

import { ENGINES, realEngines } from './support/engines';
import { postJson } from './support/http';
import { type Customer, type System, startSystem } from './support/system';

const withKafka = ENGINES === 'real' ? test : test.skip;

let system: System;
let customer: Customer;

beforeAll(async () => {
  if (ENGINES !== 'real') return;
  system = await startSystem();
  customer = await system.provision();
}, 60_000);
afterAll(() => system?.stop(), 30_000);

withKafka(
  'a call produces one event on usage.v1, keyed by its account and without its text',
  async () => {
    const secret = 'a confidential prompt';
    const answer = await postJson(
      `${system.stack.apiUrl}/v1/chat/completions`,
      { model: 'sim/chat', messages: [{ role: 'user', content: secret }] },
      customer.apiKey,
    );
    expect(answer.status).toBe(200);
    await system.settled(customer);

    const kafka = new Kafka({
      brokers: realEngines().kafkaBrokers.split(','),
      logLevel: logLevel.NOTHING,
    });
    const consumer = kafka.consumer({ groupId: `${system.topicPrefix}test` });
    await consumer.connect();
    const seen: { key: string; value: string }[] = [];
    try {
      await consumer.subscribe({ topic: `${system.topicPrefix}usage.v1`, fromBeginning: true });
      await consumer.run({
        eachMessage: async ({ message }) => {
          seen.push({ key: `${message.key}`, value: `${message.value}` });
        },
      });
      await until(() => seen.length > 0, 20_000);
    } finally {
      await consumer.disconnect();
    }
    expect(seen).toHaveLength(1);
    expect(seen[0]?.key).toBe(customer.id);
    expect(seen[0]?.value).not.toContain(secret);
    expect(seen[0]?.value).not.toContain(customer.apiKey);
    const { usage } = answer.json;
    expect(JSON.parse(`${seen[0]?.value}`)).toMatchObject({
      requestId: answer.headers['x-request-id'],
      accountId: customer.id,
      keyId: customer.keyId,
      model: 'sim/chat',
      outcome: 'USAGE_OUTCOME_SETTLED',
      costNano: String(usage.prompt_tokens * 1_000 + usage.completion_tokens * 4_000),
      tokens: { input: String(usage.prompt_tokens), output: String(usage.completion_tokens) },
    });
  },
  60_000,
);
