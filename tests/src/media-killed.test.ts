import { randomUUID } from 'node:crypto';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { postJson, sendRequest } from './support/http';
import { nano, readLedger } from './support/ledger';
import { readSamples } from './support/metrics';
import { type RecordingProxy, startRecordingProxy } from './support/recording-proxy';
import { type Customer, type System, startSystem } from './support/system';

jest.setTimeout(120_000);

/** Price of `sim/image` with default parameters. */
const PRICE_NANO = nano(0.04);
const LEASE_MS = 2_000;
/** By design a lost call ends within ten seconds; the lease is shorter in this test. */
const RECOVERED_WITHIN_MS = 10_000;

let system: System;
let customer: Customer;
let provider: RecordingProxy;

beforeAll(async () => {
  provider = await startRecordingProxy();
  system = await startSystem({
    instances: { media: 2 },
    settings: { media: { INSTANCE_LEASE_MS: String(LEASE_MS), SIM_BASE_URL: provider.origin } },
  });
  provider.target = system.stack.simulatorUrl;
  customer = await system.provision();
});
afterAll(async () => {
  if (system) expect(await system.drift()).toBe(0);
  await system?.stop();
  await provider?.stop();
});

const image = (directive: object) =>
  postJson(
    `${system.stack.apiUrl}/v1/images`,
    { model: 'sim/image', prompt: `[[sim ${JSON.stringify(directive)}]] a cat` },
    customer.apiKey,
  );
const lossNano = async () => BigInt(await system.metric('billing', 'operator_loss_nano'));

/** Read from either instance, which counts for both; the other may be down. */
const bills = () => system.metric('media', 'media_bills', 1);

/** Waits until the restarted instance receives calls again. */
async function bothServing(): Promise<void> {
  await system.stack.ready();
  await until(async () => {
    await Promise.all([image({}), image({})]);
    const samples = await readSamples(system.stack.adminUrl('media', 0), 'media_target_calls_total');
    return samples.some(({ value }) => value > 0);
  });
}

/** Number of bills of calls that may have reached the provider. */
async function dispatched(): Promise<number> {
  const samples = await readSamples(system.stack.adminUrl('media', 1), 'media_bills');
  return samples.find(({ labels }) => labels.state === 'dispatched')?.value ?? 0;
}

test('images of a killed instance are operator losses, other images are charged, and nothing stays held', async () => {
  const CALLS = 8;
  const answers = Array.from({ length: CALLS }, () => image({ delay_ms: 1_500 }));
  await until(async () => (await dispatched()) === CALLS);
  await system.stack.kill('media', 0);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  const paid = statuses.filter((status) => status === 200).length;
  // Calls are spread over both instances, so only some were lost.
  expect([paid > 0, paid < CALLS]).toEqual([true, true]);
  await until(async () => (await bills()) === 0, RECOVERED_WITHIN_MS);
  await system.settled(customer);
  const { charges, balanceNano } = await readLedger(system, customer);
  expect([...charges.values()]).toEqual(Array.from({ length: paid }, () => PRICE_NANO));
  expect(balanceNano).toBe(nano(10) - BigInt(paid) * PRICE_NANO);
  expect(await lossNano()).toBe(BigInt(CALLS - paid) * PRICE_NANO);
});

test('images of an instance that freezes beyond its lease are either charged or operator losses', async () => {
  await bothServing();
  await system.settled(customer);
  const before = { loss: await lossNano(), books: await readLedger(system, customer) };
  const answers = Array.from({ length: 6 }, () => image({ delay_ms: 1_500 }));
  await until(async () => (await dispatched()) === answers.length);
  const pid = system.stack.pid('media', 0);
  process.kill(pid, 'SIGSTOP');
  try {
    // The other instance ends these calls once the lease expires.
    await until(async () => (await bills()) === 0, RECOVERED_WITHIN_MS);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  const charged = charges.size - before.books.charges.size;
  expect(await lossNano()).toBe(before.loss + BigInt(answers.length - charged) * PRICE_NANO);
  expect(charged).toBeLessThan(answers.length);
});

test('streams of images of a killed instance end with the error object and are not charged', async () => {
  await bothServing();
  await system.settled(customer);
  const before = { loss: await lossNano(), books: await readLedger(system, customer) };
  const stream = () =>
    fetch(`${system.stack.apiUrl}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'openai/gpt-image-1.5',
        prompt: '[[sim {"chunk_delay_ms":2000}]] a cat',
        stream: true,
        partial_images: 2,
      }),
    });
  // The heads are there, so each has begun with a partial image.
  const begun = await Promise.all(Array.from({ length: 6 }, stream));
  await system.stack.kill('media', 0);
  const texts = await Promise.all(begun.map((response) => response.text()));
  const complete = texts.filter((text) => text.includes('image_generation.completed')).length;
  const cut = texts.filter((text) => /data: \{"error":\{[^\n]*\}\n\n$/.test(text)).length;
  expect([complete > 0, cut > 0, complete + cut]).toEqual([true, true, begun.length]);
  await until(async () => (await bills()) === 0, RECOVERED_WITHIN_MS);
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect(charges.size - before.books.charges.size).toBe(complete);
  expect(await lossNano()).toBeGreaterThan(before.loss);
});

test('a graceful stop finishes image calls', async () => {
  const answers = Array.from({ length: 4 }, () => image({ delay_ms: 1_500 }));
  await until(async () => (await dispatched()) === answers.length);
  const loss = await lossNano();
  await system.stack.restart('media', 1);
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
  await system.settled(customer);
  expect(await lossNano()).toBe(loss);
});

test('repeating a video order that was accepted just before a kill returns its task, charged once', async () => {
  await bothServing();
  await system.settled(customer);
  const before = await readLedger(system, customer);
  const body = Buffer.from(JSON.stringify({ model: 'sim/video', prompt: 'a cat' }));
  const headers = {
    authorization: `Bearer ${customer.apiKey}`,
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': randomUUID(),
  };
  const create = () => sendRequest(`${system.stack.apiUrl}/v1/videos/sim/create`, 'POST', headers, body);
  provider.holdsOrders = true;
  const first = create();
  await until(async () => provider.held > 0);
  provider.holdsOrders = false;
  await Promise.all([system.stack.kill('media', 0), system.stack.kill('media', 1)]);
  expect((await first).status).toBe(500);
  await system.stack.ready();
  const { status, json } = await create();
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({ task_id: expect.stringMatching(/^task_/) }),
  ]);
  const ask = (action: string) =>
    postJson(
      `${system.stack.apiUrl}/v1/videos/sim/${action}`,
      { task_id: (json as { task_id: string }).task_id },
      customer.apiKey,
    );
  await until(async () => (await ask('status')).json.status === 'completed');
  expect((await ask('result')).json.videos).toHaveLength(1);
  await system.settled(customer);
  const { charges, balanceNano } = await readLedger(system, customer);
  const fresh = [...charges].filter(([requestId]) => !before.charges.has(requestId));
  expect(fresh).toEqual([[String((await first).headers['x-request-id']), nano(0.25)]]);
  expect(balanceNano).toBe(before.balanceNano - nano(0.25));
  expect(provider.held).toBe(1);
});
