import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaDelivery } from '@gateway/call-billing';
import { until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';
import { createClient } from 'redis';
import { type EngineSetOf, redisSettingsOf, startEngineSet } from './support/engine-set';
import { ENGINES } from './support/engines';
import { type HttpAnswer, postJson } from './support/http';
import { type Customer, type System, startSystem } from './support/system';

const PREFIX = 'secure.';
const TOPIC = `${PREFIX}usage.v1`;

// Needs servers that real-engines.mjs and engine-set.mjs install.
const onRealEngines = ENGINES === 'real' ? test : test.skip;

let engines: EngineSetOf<'secure'>;
let system: System;
let customer: Customer;
let kafka: Kafka;

beforeAll(async () => {
  if (ENGINES !== 'real') return;
  engines = await startEngineSet('secure');
  const brokers = [`127.0.0.1:${engines.kafkaAdminPort}`];
  kafka = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING });
  await permit();
  system = await startSystem({
    settings: {
      billing: { ...kafkaSettings('billing'), ...redisSettings() },
      chat: kafkaSettings('chat'),
      media: kafkaSettings('media'),
    },
  });
  customer = await system.provision({ key: { rpm_limit: 100, tpm_limit: 1_000_000 } });
}, 120_000);
afterEach(async () => {
  if (system) expect(await system.drift()).toBe(0);
});
afterAll(async () => {
  await system?.stop();
  await engines?.stop();
}, 60_000);

const MECHANISMS = { billing: 'SCRAM-SHA-512', chat: 'PLAIN', media: 'SCRAM-SHA-256' };

const kafkaSettings = (user: 'billing' | 'chat' | 'media') => ({
  KAFKA_BROKERS: `127.0.0.1:${engines.kafkaPort}`,
  KAFKA_TOPIC_PREFIX: PREFIX,
  KAFKA_TLS: 'on',
  KAFKA_CA_FILE: engines.files.ca,
  KAFKA_CERTIFICATE_FILE: engines.files.client.certificate,
  KAFKA_KEY_FILE: engines.files.client.key,
  KAFKA_SASL_MECHANISM: MECHANISMS[user],
  KAFKA_USERNAME: user,
  KAFKA_PASSWORD: engines.passwords[user],
});

const redisSettings = () => ({
  ...redisSettingsOf(engines),
  REDIS_URL: `rediss://billing:${engines.passwords.billing}@127.0.0.1:${engines.redisPort}`,
});

/** Grants the permissions of docs/operations/deployment.md, and no others. */
async function permit(): Promise<void> {
  const grant = (
    user: string,
    resourceType: AclResourceTypes,
    resourceName: string,
    ...operations: AclOperationTypes[]
  ) =>
    operations.map((operation) => ({
      ...{ resourceType, resourceName, operation, principal: `User:${user}`, host: '*' },
      resourcePatternType: ResourcePatternTypes.LITERAL,
      permissionType: AclPermissionTypes.ALLOW,
    }));
  const { WRITE, DESCRIBE, CREATE, DESCRIBE_CONFIGS, READ } = AclOperationTypes;
  const acl = [
    ...['chat', 'media'].flatMap((user) => grant(user, AclResourceTypes.TOPIC, TOPIC, WRITE, DESCRIBE)),
    ...grant('billing', AclResourceTypes.TOPIC, TOPIC, CREATE, DESCRIBE, DESCRIBE_CONFIGS, READ),
    ...grant('billing', AclResourceTypes.TOPIC, `${TOPIC}.dead`, CREATE, DESCRIBE, DESCRIBE_CONFIGS, WRITE),
    ...grant('billing', AclResourceTypes.GROUP, `${PREFIX}billing`, READ),
  ];
  const admin = kafka.admin();
  await admin.connect();
  await admin.createAcls({ acl });
  await admin.disconnect();
}

const call = ({ apiKey }: Customer, path: string, body: object): Promise<HttpAnswer> =>
  postJson(`${system.stack.apiUrl}/v1/${path}`, body, apiKey);
const chat = (from: Customer) =>
  call(from, 'chat/completions', { model: 'sim/chat', messages: [{ role: 'user', content: 'hello' }] });

const logs = () =>
  readdirSync(system.stack.logDir)
    .map((file) => readFileSync(join(system.stack.logDir, file), 'utf8'))
    .join('\n');
const redisUp = async () => (await system.metric('billing', 'billing_redis_up')) === 1;

onRealEngines(
  'calls of chat and media are billed over a Kafka with TLS, logins and ACLs',
  async () => {
    const answers = [
      await chat(customer),
      await call(customer, 'images', { model: 'sim/image', prompt: 'A cat.' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await until(async () => (await system.metric('billing', 'billing_kafka_consumer_up')) === 1, 30_000);
    const { balance } = await system.settled(customer, 30_000);
    const costs = answers.map(({ headers }) => Number(headers['x-gateway-cost']));
    expect(balance).toBeCloseTo(10 - costs.reduce((sum, cost) => sum + cost, 0), 9);

    const admin = kafka.admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(TOPIC);
    await admin.disconnect();
    expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBe(2);
    expect(await system.metric('billing', 'billing_kafka_weak_topics')).toBe(0);
  },
  90_000,
);

onRealEngines(
  'rate limits are enforced with a Redis that has TLS and only the documented ACL rule',
  async () => {
    const limited = await system.provision({ key: { rpm_limit: 2, tpm_limit: 100_000 } });
    const stream = { model: 'sim/chat', stream: true, messages: [{ role: 'user', content: 'hello' }] };
    const answers = [
      await chat(limited),
      await call(limited, 'chat/completions', stream),
      await chat(limited),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.json.error.code).toBe('rpm_rate_limited');
    await system.settled(limited, 30_000);
    expect(await system.metric('billing', 'billing_rates_failed_total')).toBe(0);
  },
  60_000,
);

onRealEngines(
  'a missing permission and a wrong password in Redis are in the log, and end when corrected',
  async () => {
    const { ca, client } = engines.files;
    const tls = {
      ca: readFileSync(ca),
      cert: readFileSync(client.certificate),
      key: readFileSync(client.key),
    };
    const admin = createClient({
      username: 'admin',
      password: engines.passwords.admin,
      socket: { tls: true, host: '127.0.0.1', port: engines.redisPort, ...tls },
    });
    admin.on('error', () => {});
    await admin.connect();
    try {
      await admin.sendCommand(['ACL', 'SETUSER', 'billing', '-hset']);
      expect((await chat(customer)).json.error.code).toBe('internal_error');
      await until(() => /rates unavailable/.test(logs()) && /NOPERM|can't run this command/.test(logs()));
      await admin.sendCommand(['ACL', 'SETUSER', 'billing', '+hset']);
      expect((await chat(customer)).status).toBe(200);

      await admin.sendCommand(['ACL', 'SETUSER', 'billing', 'resetpass', '>another']);
      await admin.sendCommand(['CLIENT', 'KILL', 'USER', 'billing']);
      await until(() => /WRONGPASS/.test(logs()));
      expect(await redisUp()).toBe(false);
      await admin.sendCommand(['ACL', 'SETUSER', 'billing', 'resetpass', `>${engines.passwords.billing}`]);
      await until(redisUp);
      expect((await chat(customer)).status).toBe(200);
    } finally {
      admin.destroy();
    }
    await system.settled(customer, 30_000);
  },
  60_000,
);

onRealEngines(
  'a wrong password for Kafka fails with an error that names the reason, without the password',
  async () => {
    const lines: string[] = [];
    const delivery = kafkaDelivery({
      clientId: 'test',
      connection: {
        brokers: [`127.0.0.1:${engines.kafkaPort}`],
        topicPrefix: PREFIX,
        tls: { ca: engines.files.ca, ...engines.files.client },
        sasl: { mechanism: 'SCRAM-SHA-512', username: 'billing', password: 'a wrong password' },
      },
      log: { warn: (...args: unknown[]) => void lines.push(JSON.stringify(args)) } as never,
    });
    const failure = await delivery.deliver([]).then(
      () => undefined,
      (error: Error) => error,
    );
    await delivery.close();
    expect(failure?.message).toMatch(/authentication failed/i);
    const seen = [lines.join('\n'), failure?.stack, JSON.stringify(failure)].join('\n');
    expect(seen).not.toContain('a wrong password');
  },
  60_000,
);

onRealEngines('no password is in a log', () => {
  const text = logs();
  for (const password of Object.values(engines.passwords)) expect(text).not.toContain(password);
});
