import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pairSetting, pairsOf } from '@gateway/callers';
import { REPOSITORY, type ServiceName } from '@gateway/local-stack';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { POD_SERVICES } from './support/pod-system';
import { type Customer, type System, startSystem } from './support/system';

/** The version that today's must work with during an upgrade and after a rollback: the last one that was released. */
const PREVIOUS_COMMIT = 'bfe4a096';
const PREPARED_WITHIN_MS = 480_000;

/** The previous version knows one secret for all; during an upgrade it is that of each pair, too (docs/operations/runbook.md, "Secrets"). */
const SHARED_SECRET = 'secret-of-the-previous-version-0123456789';
const SETTINGS = Object.fromEntries(
  POD_SERVICES.map((service) => [
    service,
    {
      SERVICE_SECRET: SHARED_SECRET,
      SIGNING_SECRET: SHARED_SECRET,
      ...Object.fromEntries(pairsOf(service).map((pair) => [pairSetting(...pair), SHARED_SECRET])),
    },
  ]),
);

const run = promisify(execFile);

// Run only with full counts (jest.config.cjs): installing and building the other version takes a minute or two.
describe('one service of another version', () => {
  let checkout: string;
  let system: System;
  let customer: Customer;

  beforeAll(async () => {
    checkout = mkdtempSync(join(tmpdir(), 'gateway-previous-'));
    await run('git', ['clone', '--quiet', REPOSITORY, checkout]);
    await run('git', ['checkout', '--quiet', PREVIOUS_COMMIT], { cwd: checkout });
    await run('node', ['deploy/local/bootstrap.mjs'], { cwd: checkout, timeout: PREPARED_WITHIN_MS });
    // The migrations are those of today's version.
    system = await startSystem({ settings: SETTINGS });
    customer = await system.provision({ balanceUsd: 1_000 });
  }, PREPARED_WITHIN_MS + 60_000);
  afterAll(async () => {
    await system?.stop();
    if (checkout) rmSync(checkout, { recursive: true, force: true });
  }, 60_000);

  async function replaceAll(services: readonly ServiceName[], version: string): Promise<void> {
    for (const service of services) await system.stack.replace(service, version);
    await system.stack.ready();
  }

  const post = (path: string, body: object): Promise<HttpAnswer> =>
    postJson(`${system.stack.apiUrl}${path}`, body, customer.apiKey);
  const get = (path: string): Promise<HttpAnswer> =>
    sendRequest(`${system.stack.apiUrl}${path}`, 'GET', { authorization: `Bearer ${customer.apiKey}` });
  const messages = [{ role: 'user', content: 'Hello' }];

  /** A call of each kind, each of which passes through other pairs of services. */
  async function expectEverythingWorks(): Promise<void> {
    expect((await get('/v1/models')).json.data.length).toBeGreaterThan(0);
    const answers = await Promise.all([
      post('/v1/chat/completions', { model: 'sim/chat', messages }),
      post('/v1/messages', { model: 'anthropic/claude-haiku-4-5', max_tokens: 50, messages }),
      post('/v1/embeddings', { model: 'sim/embedding', input: 'Hello' }),
      post('/v1/images/generations', { model: 'sim/image', prompt: 'A cat', n: 1 }),
      post('/v1/responses', { model: 'sim/chat', input: 'Hello' }),
      post('/v1/responses', { model: 'sim/chat', input: 'Hello', background: true }),
      post('/v1/videos/sim/create', { model: 'sim/video', prompt: 'A cat' }),
    ]);
    expect(answers.map(({ status, text }) => [status, status < 300 ? '' : text])).toEqual(
      answers.map(({ status }) => [status < 300 ? status : 200, '']),
    );
    const stream = await post('/v1/chat/completions', { model: 'sim/chat', messages, stream: true });
    expect(stream.text).toMatch(/data: \[DONE\]\n\n$/);
    const [stored, queued, video] = answers.slice(4).map(({ json }) => json);
    expect((await get(`/v1/responses/${stored.id}`)).json.output).toEqual(stored.output);
    await until(async () => (await get(`/v1/responses/${queued.id}`)).json.status === 'completed', 20_000);
    const task = { task_id: video.task_id };
    await until(async () => (await post('/v1/videos/sim/status', task)).json.status === 'completed', 20_000);
    const { id } = await system.dashboard.createKey(customer.token, 'another');
    expect(id).toBeTruthy();
    await system.settled(customer, 20_000);
    expect(await system.drift()).toBe(0);
    expect(await system.metric('billing', 'operator_loss_nano')).toBe(0);
  }

  test.each(POD_SERVICES)(
    '%s of the previous version works with the others of this one',
    async (service) => {
      await replaceAll([service], checkout);
      await expectEverythingWorks();
      await replaceAll([service], REPOSITORY);
    },
    120_000,
  );

  test.each(POD_SERVICES)(
    '%s of this version works with the others of the previous one',
    async (service) => {
      await replaceAll(POD_SERVICES, checkout);
      await replaceAll([service], REPOSITORY);
      await expectEverythingWorks();
      await replaceAll([service], checkout);
    },
    240_000,
  );
});
