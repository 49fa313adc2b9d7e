import Anthropic from '@anthropic-ai/sdk';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { queryDatabase } from './support/query-database';
import { type Customer, type System, startSystem } from './support/system';

const ENDS_WITHIN_MS = 30_000;
const MODEL = 'sim/chat';

let system: System;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem();
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const openaiOf = ({ apiKey } = customer) =>
  new OpenAI({ apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
const anthropicOf = ({ apiKey } = customer) =>
  new Anthropic({ apiKey, baseURL: system.stack.apiUrl, maxRetries: 0 });

interface Line {
  readonly custom_id: string;
  readonly method: string;
  readonly url: string;
  readonly body: object;
}

const chatLine = (id: string, text = 'Hello', fields: object = {}): Line => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: MODEL, messages: [{ role: 'user', content: text }], ...fields },
});

async function upload(lines: readonly object[], by = customer): Promise<string> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const file = await toFile(Buffer.from(text), 'calls.jsonl');
  return (await openaiOf(by).files.create({ file, purpose: 'batch' })).id;
}

async function create(lines: readonly object[], endpoint = '/v1/chat/completions', by = customer) {
  return openaiOf(by).batches.create({
    input_file_id: await upload(lines, by),
    endpoint: endpoint as '/v1/chat/completions',
    completion_window: '24h',
  });
}

async function ended({ id }: { id: string }, by = customer, timeoutMs = ENDS_WITHIN_MS) {
  let batch = await openaiOf(by).batches.retrieve(id);
  await until(async () => {
    batch = await openaiOf(by).batches.retrieve(id);
    return ['completed', 'failed', 'expired', 'cancelled'].includes(batch.status);
  }, timeoutMs);
  return batch;
}

// biome-ignore lint/suspicious/noExplicitAny: a line is read as what it is known to hold.
type Result = any;

async function linesOf(fileId: string | null | undefined, by = customer): Promise<Result[]> {
  if (!fileId) return [];
  const text = await (await openaiOf(by).files.content(fileId)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const requestIdsOf = (lines: readonly Result[]): string[] =>
  lines.map(({ response }) => response.request_id).sort();

/** Checks that each of these calls was charged once, and nothing else. */
async function expectCharged(requestIds: readonly string[], by = customer): Promise<bigint> {
  await system.settled(by);
  const { charges } = await readLedger(system, by);
  expect([...charges.keys()].sort()).toEqual([...requestIds].sort());
  return [...charges.values()].reduce((sum, nano) => sum + nano, 0n);
}

describe('the openai package', () => {
  test('creates a batch, polls it, and reads an answer for each line, each charged as its own call', async () => {
    const created = await create([chatLine('a'), chatLine('b', 'Bye'), chatLine('c', 'Third')]);
    expect(created).toMatchObject({ object: 'batch', status: 'validating', completion_window: '24h' });
    const batch = await ended(created);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 3, failed: 0 },
    });
    expect(batch.error_file_id).toBeNull();
    const lines = await linesOf(batch.output_file_id);
    expect(lines.map(({ custom_id }) => custom_id)).toEqual(['a', 'b', 'c']);
    expect(lines[0]).toMatchObject({
      error: null,
      response: { status_code: 200, body: { object: 'chat.completion' } },
    });
    const paidNano = await expectCharged(requestIdsOf(lines));
    const { usage } = batch as unknown as { usage: { cost: number; output_tokens: number } };
    expect(BigInt(Math.round(usage.cost * 1e9))).toBe(paidNano);
    expect(usage.output_tokens).toBe(
      lines.reduce((sum, { response }) => sum + response.body.usage.completion_tokens, 0),
    );
    expect(paidNano).toBeGreaterThan(0n);
  });

  test('puts lines that fail into the error file, with the error of the table', async () => {
    const batch = await ended(
      await create([
        chatLine('good'),
        chatLine('unknown', 'Hello', { model: 'sim/unknown' }),
        chatLine('broken', '[[sim {"status":400}]]'),
        chatLine('streamed', 'Hello', { stream: true }),
      ]),
    );
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 4, completed: 1, failed: 3 },
    });
    const errors = await linesOf(batch.error_file_id);
    expect(errors.map(({ custom_id, response }) => [custom_id, response.body.error.code])).toEqual([
      ['unknown', 'model_not_found'],
      ['broken', expect.any(String)],
      ['streamed', 'invalid_request'],
    ]);
    expect(errors[2].response.body.error.detail).toBe('stream: a batch has no streams');
    await expectCharged(requestIdsOf(await linesOf(batch.output_file_id)));
  });

  test.each([
    ['/v1/responses', { model: MODEL, input: 'Hello' }, { object: 'response' }],
    ['/v1/completions', { model: MODEL, prompt: 'Hello' }, { object: 'text_completion' }],
    ['/v1/embeddings', { model: 'sim/embedding', input: 'Hello' }, { object: 'list' }],
  ])('runs calls of %s', async (url, body, answer) => {
    const batch = await ended(await create([{ custom_id: 'a', method: 'POST', url, body }], url));
    const lines = await linesOf(batch.output_file_id);
    expect(lines).toMatchObject([{ custom_id: 'a', response: { status_code: 200, body: answer } }]);
    await expectCharged(requestIdsOf(lines));
  });

  test.each([
    ['an unknown field', { ...chatLine('a'), more: 1 }, 'unknown_parameter'],
    ['another endpoint', { ...chatLine('a'), url: '/v1/embeddings' }, 'mismatched_url'],
    ['another method', { ...chatLine('a'), method: 'GET' }, 'invalid_method'],
    ['no body', { ...chatLine('a'), body: 'text' }, 'invalid_body'],
    ['a repeated custom_id', chatLine('first'), 'duplicate_custom_id'],
  ])('fails a batch with a line that has %s, and charges nothing', async (_name, line, code) => {
    const batch = await ended(await create([chatLine('first'), line]));
    expect(batch).toMatchObject({ status: 'failed', output_file_id: null });
    expect(batch.errors?.data).toMatchObject([{ code, line: 2 }]);
    await expectCharged([]);
  });

  test('cancels a batch: calls in flight are answered, the rest is never sent', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => chatLine(`${at}`, '[[sim {"delay_ms":1500}]]'));
    const created = await create(lines);
    await until(async () => (await openaiOf().batches.retrieve(created.id)).status === 'in_progress');
    const cancelling = await openaiOf().batches.cancel(created.id);
    expect(cancelling.status).toBe('cancelling');
    const batch = await ended(created);
    expect(batch.status).toBe('cancelled');
    const { completed, failed } = batch.request_counts ?? { completed: 0, failed: 0 };
    expect(completed).toBeLessThan(60);
    expect(failed).toBe(0);
    const answered = await linesOf(batch.output_file_id);
    expect(answered).toHaveLength(completed);
    await expectCharged(requestIdsOf(answered));
    await expect(openaiOf().batches.cancel(created.id)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('lists batches, newest first, and keeps an input that a batch needs', async () => {
    const slow = await create([chatLine('a', '[[sim {"delay_ms":1500}]]')]);
    const other = await create([chatLine('b')]);
    const page = await openaiOf().batches.list({ limit: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([other.id]);
    const next = await page.getNextPage();
    expect(next.data.map(({ id }) => id)).toEqual([slow.id]);
    expect(next.hasNextPage()).toBe(false);
    const remove = () =>
      sendRequest(`${system.stack.apiUrl}/v1/files/${slow.input_file_id}/delete`, 'POST', {
        authorization: `Bearer ${customer.apiKey}`,
      });
    expect((await remove()).status).toBe(400);
    await ended(slow);
    expect((await remove()).status).toBe(200);
  });
});

test('the batch of another account does not exist', async () => {
  const { id } = await create([chatLine('a')]);
  const other = await system.provision();
  await expect(openaiOf(other).batches.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(openaiOf(other).batches.cancel(id)).rejects.toMatchObject({ status: 404 });
  expect((await openaiOf(other).batches.list()).data).toEqual([]);
  await expect(create([chatLine('a')], undefined, other)).resolves.toMatchObject({ object: 'batch' });
  const foreign = { input_file_id: (await openaiOf().batches.retrieve(id)).input_file_id };
  await expect(
    openaiOf(other).batches.create({
      ...foreign,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

describe('the Anthropic package', () => {
  const requests = (texts: readonly string[]) =>
    texts.map((content, at) => ({
      custom_id: `call-${at}`,
      params: { model: MODEL, max_tokens: 100, messages: [{ role: 'user' as const, content }] },
    }));

  async function endedMessages(id: string) {
    await until(
      async () => (await anthropicOf().messages.batches.retrieve(id)).processing_status === 'ended',
      ENDS_WITHIN_MS,
    );
    return anthropicOf().messages.batches.retrieve(id);
  }

  test('creates a batch and reads its results, each charged as its own call', async () => {
    const { batches } = anthropicOf().messages;
    const created = await batches.create({ requests: requests(['Hello', '[[sim {"status":400}]]']) });
    expect(created).toMatchObject({ type: 'message_batch', processing_status: 'in_progress' });
    const ended = await endedMessages(created.id);
    expect(ended.request_counts).toEqual({
      processing: 0,
      succeeded: 1,
      errored: 1,
      canceled: 0,
      expired: 0,
    });
    const results = new Map<string, Result>();
    for await (const { custom_id, result } of await batches.results(created.id))
      results.set(custom_id, result);
    expect(results.get('call-0')).toMatchObject({ type: 'succeeded', message: { role: 'assistant' } });
    expect(results.get('call-1')).toMatchObject({ type: 'errored', error: { type: 'error' } });
    await system.settled(customer);
    expect((await readLedger(system, customer)).charges.size).toBe(1);
    expect((await batches.list()).data.map(({ id }) => id)).toEqual([created.id]);
  });

  test('cancels a batch, whose rest is canceled, and deletes it', async () => {
    const { batches } = anthropicOf().messages;
    const slow = Array.from({ length: 40 }, () => '[[sim {"delay_ms":1500}]]');
    const { id } = await batches.create({ requests: requests(slow) });
    expect((await batches.cancel(id)).processing_status).toBe('canceling');
    const { request_counts: counts } = await endedMessages(id);
    expect(counts.canceled).toBeGreaterThan(0);
    expect(counts.succeeded + counts.canceled).toBe(40);
    let canceled = 0;
    for await (const { result } of await batches.results(id)) if (result.type === 'canceled') canceled += 1;
    expect(canceled).toBe(counts.canceled);
    const url = `${system.stack.apiUrl}/v1/messages/batches/${id}/delete`;
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    expect(await sendRequest(url, 'POST', headers)).toMatchObject({ status: 200 });
    await expect(batches.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('while processes are killed', () => {
  /** A heavy run has the batch of the issue. */
  const CALLS = process.env.TEST_HEAVY === '1' ? 10_000 : 1_000;

  test.each(['chat', 'storage'] as const)(
    `each of ${CALLS} calls has one result and is charged once at most, with %s killed twice`,
    async (service) => {
      const rich = await system.provision({ balanceUsd: 1_000 });
      const lines = Array.from({ length: CALLS }, (_, at) => chatLine(`line-${at}`, `Hello ${at}`));
      const created = await create(lines, undefined, rich);
      const answered = async () => (await openaiOf(rich).batches.retrieve(created.id)).request_counts;
      for (const share of [0.2, 0.6]) {
        await until(async () => {
          const counts = await answered().catch(() => undefined);
          return (counts?.completed ?? 0) >= CALLS * share;
        }, 300_000);
        await system.stack.kill(service);
        // The lease of the first killed process expires by itself, after 20 s.
        if (service === 'storage' && share > 0.2)
          await queryDatabase(system, 'UPDATE storage.batches SET leased_until = now()', []);
        await system.stack.ready();
      }
      const batch = await ended(created, rich, 300_000);
      expect(batch.status).toBe('completed');
      const succeeded = await linesOf(batch.output_file_id, rich);
      const failed = await linesOf(batch.error_file_id, rich);
      const ids = [...succeeded, ...failed].map(({ custom_id }) => custom_id);
      expect(ids.sort()).toEqual(lines.map(({ custom_id }) => custom_id).sort());
      // A call whose answer was lost after it had been charged is not sent again: it is an error that names its charge.
      expect(failed.length).toBeLessThanOrEqual(64);
      await expectCharged(requestIdsOf([...succeeded, ...failed]), rich);
      expect(await system.drift()).toBe(0);
    },
    600_000,
  );
});
