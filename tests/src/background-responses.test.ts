import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { placesOfSecrets } from './support/find-secrets';
import { postJson, sendRequest } from './support/http';
import { meteredNano, readLedger } from './support/ledger';
import { queryDatabase } from './support/query-database';
import { type Customer, type System, startSystem } from './support/system';
import { withConcurrency } from './support/with-concurrency';

const ENDS_WITHIN_MS = 60_000;
/** Longer than what runs before the response is cancelled or a process is killed. */
const SLOW = { delay_ms: 20_000 };

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

type Response = OpenAI.Responses.Response;

const responsesOf = ({ apiKey } = customer) =>
  new OpenAI({ apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 }).responses;
const directive = (value: object) => `[[sim ${JSON.stringify(value)}]]`;
const create = (fields: object = {}, by = customer): Promise<Response> =>
  responsesOf(by).create({ model: 'sim/chat', input: 'Hello', background: true, ...fields } as never);
/** A response's first attempt has the id that the response contains. */
const requestIdOf = ({ id }: { id: string }) => id.slice('resp_'.length);
const isOpen = ({ status }: Response) => status === 'queued' || status === 'in_progress';

async function ended({ id }: { id: string }, by = customer): Promise<Response> {
  let response: Response | undefined;
  await until(async () => {
    response = await responsesOf(by).retrieve(id);
    return !isOpen(response);
  }, ENDS_WITHIN_MS);
  return response!;
}

const running = ({ id }: { id: string }) =>
  until(async () => (await responsesOf().retrieve(id)).status === 'in_progress');
const inFlight = async () => (await system.meter({ limit: 1 })).in_flight;

/** Checks that these calls were charged, each once, and nothing else. Returns the sum. */
async function expectCharged(requestIds: readonly string[], by = customer): Promise<bigint> {
  await system.settled(by);
  const { charges } = await readLedger(system, by);
  expect([...charges.keys()].sort()).toEqual([...requestIds].sort());
  return [...charges.values()].reduce((sum, nano) => sum + nano, 0n);
}

describe('the openai package', () => {
  test('creates a response in the background, polls it, and pays for it as for any call', async () => {
    const created = await create({ input: directive({ text: 'one two three' }), metadata: { a: 'b' } });
    expect(created).toMatchObject({
      object: 'response',
      status: 'queued',
      background: true,
      store: true,
      model: 'sim/chat',
      metadata: { a: 'b' },
      output: [],
      error: null,
    });
    const items = await responsesOf().inputItems.list(created.id);
    expect(items.data).toMatchObject([{ type: 'message', role: 'user' }]);
    const response = await ended(created);
    expect(response).toMatchObject({
      id: created.id,
      created_at: created.created_at,
      status: 'completed',
      background: true,
      store: true,
      output_text: 'one two three',
    });
    expect(response.output[0]?.id).toBe(`msg_${requestIdOf(created)}_0`);
    const paidNano = await expectCharged([requestIdOf(created)]);
    expect(paidNano).toBe(await meteredNano(system, requestIdOf(created)));
    expect(Math.round((response.usage as unknown as { cost: number }).cost * 1e9)).toBe(Number(paidNano));
    // The package adds members to what it received.
    const { output_text: _, ...received } = JSON.parse(JSON.stringify(response));
    expect(JSON.parse(JSON.stringify(await responsesOf().cancel(created.id)))).toMatchObject(received);
    expect(await openCalls(customer)).toBe(0);
  });

  test.each(['openai/gpt-5.5', 'anthropic/claude-opus-4-8', 'google/gemini-3.5-flash'])(
    'continues a response in the background of %s, with its reasoning',
    async (model) => {
      const input = directive({ thinking: 'Hm.', text: 'I am here.' });
      const reasoning = { effort: 'high', summary: 'auto' };
      const first = await ended(await create({ model, input, reasoning }));
      expect(first).toMatchObject({ status: 'completed', background: true, model });
      expect(JSON.stringify(first)).not.toContain('encrypted_content');
      const next = { model, input: 'Again.', previous_response_id: first.id, reasoning };
      const second = await ended(await create(next));
      expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id });
      const third = await create({ ...next, background: false, previous_response_id: second.id });
      expect(third.status).toBe('completed');
      await expectCharged([first, second, third].map(requestIdOf));
    },
  );

  test('a response that was cut is incomplete', async () => {
    const input = directive({ text: 'one two three four five six', finish_reason: 'length' });
    const response = await ended(await create({ input, max_output_tokens: 3 }));
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });

  test('a running response that is cancelled ends at once, and its call to the provider is aborted', async () => {
    const created = await create({ input: directive(SLOW) });
    await running(created);
    await until(async () => (await inFlight()) === 1);
    const cancelled = await responsesOf().cancel(created.id);
    expect(cancelled).toMatchObject({ id: created.id, status: 'cancelled', background: true, output: [] });
    await until(async () => (await inFlight()) === 0, 2_000);
    const { entries } = await system.meter({ requestId: requestIdOf(created) });
    expect(entries).toMatchObject([{ aborted: true, completion_tokens: 0 }]);
    // As a call whose client disconnects before the reply begins.
    await expectCharged([]);
    const again = await responsesOf().cancel(created.id);
    expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(cancelled)));
    expect((await responsesOf().retrieve(created.id)).status).toBe('cancelled');
  });

  test('a running response that is deleted is aborted', async () => {
    const created = await create({ input: directive(SLOW) });
    await running(created);
    const url = `${system.stack.apiUrl}/v1/responses/${created.id}/delete`;
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    expect((await sendRequest(url, 'POST', headers)).status).toBe(200);
    await until(async () => (await inFlight()) === 0, 2_000);
    await expect(responsesOf().retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expectCharged([]);
  });

  test('responses start within 200 ms of their creation on average', async () => {
    const before = await system.metric('storage', 'storage_background_wait_seconds_sum');
    for (let at = 0; at < 10; at++) await ended(await create());
    const waitedSeconds = (await system.metric('storage', 'storage_background_wait_seconds_sum')) - before;
    expect(waitedSeconds / 10).toBeLessThan(0.2);
  });
});

describe('a call in the background', () => {
  test.each<[string, object, string]>([
    ['a body that is not stored', { store: false }, 'background: only allowed when store is true'],
    ['a stream', { stream: true }, 'stream: a response in the background is not streamed'],
    ['a wrong field', { temperature: 9 }, 'temperature'],
  ])('is refused at once for %s', async (_what, fields, detail) => {
    await expect(create(fields)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      error: { detail: expect.stringContaining(detail) },
    });
  });

  test('is refused at once for an unknown model, and for one that the key may not use', async () => {
    await expect(create({ model: 'sim/unknown' })).rejects.toMatchObject({ code: 'model_not_found' });
    const limited = await system.provision({ key: { allowed_models: ['sim/embedding'] } });
    await expect(create({}, limited)).rejects.toMatchObject({ status: 404 });
    expect([await openCalls(customer), await openCalls(limited)]).toEqual([0, 0]);
  });

  test('is refused for the batch that contains it', async () => {
    const openai = new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1` });
    const body = { model: 'sim/chat', input: 'Hello', background: true };
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/responses', body });
    const file = await openai.files.create({ file: new File([line], 'a.jsonl'), purpose: 'batch' });
    let batch = await openai.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/responses',
      completion_window: '24h',
    });
    await until(async () => {
      batch = await openai.batches.retrieve(batch.id);
      return batch.status === 'completed';
    }, ENDS_WITHIN_MS);
    const errors = await (await openai.files.content(batch.error_file_id!)).json();
    expect(errors).toMatchObject({
      response: { status_code: 400, body: { error: { detail: 'background: not supported in a batch' } } },
    });
  });

  test('that the provider refuses fails with the error of the table, and is free', async () => {
    const response = await ended(await create({ input: directive({ status: 400 }) }));
    expect(response).toMatchObject({
      status: 'failed',
      background: true,
      output: [],
      error: { code: expect.any(String), message: expect.any(String), request_id: requestIdOf(response) },
    });
    await expectCharged([]);
  });

  test('is not created without a balance', async () => {
    const poor = await system.provision({ balanceUsd: 0 });
    await expect(create({}, poor)).rejects.toMatchObject({ status: 402, code: 'insufficient_balance' });
  });

  test('that has failed can not be continued', async () => {
    const response = await ended(await create({ input: directive({ status: 400 }) }));
    await expect(
      responsesOf().create({ model: 'sim/chat', input: 'x', previous_response_id: response.id }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      error: { detail: expect.stringContaining('failed or was cancelled') },
    });
  });

  describe('that a rate limit refuses', () => {
    /** Returns a refused response of a key whose only request of this minute is another response. */
    async function refused() {
      const limited = await system.provision({ key: { rpm_limit: 1 } });
      // The same account, without a limit.
      const { key } = await system.dashboard.createKey(limited.token, 'unlimited');
      const by = { ...limited, apiKey: key };
      const first = await ended(await create({}, limited), by);
      const second = await create({}, limited);
      await until(async () => (await refusedCalls(limited)) === 1);
      expect((await responsesOf(by).retrieve(second.id)).status).toBe('queued');
      return { limited, by, first, second };
    }

    test('is sent again when the limit allows it, and charged once', async () => {
      const { limited, by, first, second } = await refused();
      const path = `keys/${limited.keyId}/update`;
      await system.dashboard.call('POST', path, limited.token, { rpm_limit: 100 });
      await changeCall(second, 'leased_until = now()');
      const response = await ended(second, by);
      expect([response.id, response.status]).toEqual([second.id, 'completed']);
      // The refused attempt had the id that the response contains.
      await system.settled(by);
      const { charges } = await readLedger(system, by);
      expect([charges.size, charges.has(requestIdOf(first)), charges.has(requestIdOf(second))]).toEqual([
        2,
        true,
        false,
      ]);
    });

    test('fails with that error when its time is over', async () => {
      const { by, first, second } = await refused();
      await changeCall(second, 'leased_until = now(), start_by = now()');
      expect(await ended(second, by)).toMatchObject({
        status: 'failed',
        error: { code: 'rpm_rate_limited' },
      });
      await expectCharged([requestIdOf(first)], by);
    });
  });

  test('cannot be continued before it has ended', async () => {
    const created = await create({ input: directive(SLOW) });
    await expect(create({ previous_response_id: created.id })).rejects.toMatchObject({
      code: 'invalid_request',
      error: { detail: expect.stringContaining('has not ended') },
    });
    await responsesOf().cancel(created.id);
  });

  test('of another account does not exist', async () => {
    const created = await create({ input: directive(SLOW) });
    const other = await system.provision();
    await expect(responsesOf(other).retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(responsesOf(other).cancel(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(create({ previous_response_id: created.id }, other)).rejects.toMatchObject({ status: 404 });
    expect(isOpen(await responsesOf().retrieve(created.id))).toBe(true);
    await responsesOf().cancel(created.id);
  });

  test('leaves nothing of its prompt or reply in clear on disk or in logs', async () => {
    const secrets = ['a-very-secret-question', 'a-very-secret-answer'];
    const input = `${secrets[0]} ${directive({ text: secrets[1], delay_ms: 1_000 })}`;
    const created = await create({ input });
    expect(await placesOfSecrets(system, secrets)).toEqual([]);
    expect((await ended(created)).output_text).toBe(secrets[1]);
    expect(await placesOfSecrets(system, secrets)).toEqual([]);
  });
});

/** Returns how many responses of the account have not ended. @param where a condition on their calls */
async function openCalls({ id }: Customer, where = 'true'): Promise<number> {
  const sql = `SELECT FROM storage.background_calls WHERE account_id = $1 AND ${where}`;
  return (await queryDatabase(system, sql, [id])).length;
}

const refusedCalls = (by: Customer) => openCalls(by, 'refusal IS NOT NULL');

const changeCall = ({ id }: { id: string }, change: string) =>
  queryDatabase(system, `UPDATE storage.background_calls SET ${change} WHERE response_id = $1`, [id]);

test('an account has 100 open responses at most, of which a quarter of the concurrency runs', async () => {
  const created = await Promise.all(Array.from({ length: 100 }, () => create({ input: directive(SLOW) })));
  await expect(create()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
  await until(async () => (await inFlight()) === 8);
  const other = await system.provision();
  expect((await ended(await create({}, other), other)).status).toBe('completed');
  await withConcurrency(4, created, async ({ id }) => {
    await responsesOf().cancel(id);
  });
  await until(async () => (await inFlight()) === 0);
  await expectCharged([]);
}, 60_000);

test('an account that creates many responses at once does not keep those of others waiting', async () => {
  const lock = lockOf(customer);
  const waiting = () => queryDatabase(system, `SELECT FROM pg_locks WHERE ${lock} AND NOT granted`, []);
  const holding = `WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($1, 0))) SELECT pg_sleep(3) FROM held`;
  const held = queryDatabase(system, holding, [`background of ${customer.id}`]);
  await until(
    async () => (await queryDatabase(system, `SELECT FROM pg_locks WHERE ${lock}`, [])).length === 1,
  );
  const created = Array.from({ length: 20 }, () => create());
  await until(async () => (await waiting()).length >= 2);
  const other = await system.provision();
  const response = await create({}, other);
  expect((await waiting()).length).toBe(2);
  await held;
  expect(new Set((await Promise.all(created)).map(({ id }) => id)).size).toBe(20);
  await ended(response, other);
});

/** Returns a condition for rows of `pg_locks`: the lock of an account's creations. */
const lockOf = ({ id }: Customer) =>
  `locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = hashtextextended('background of ${id}', 0)`;

describe('while processes are killed', () => {
  const CALLS = 40;

  test.each(['chat', 'storage'] as const)(
    `each of ${CALLS} responses ends once and is charged once at most, with %s killed twice`,
    async (service) => {
      const texts = Array.from({ length: CALLS }, (_, at) => directive({ text: `no ${at}`, delay_ms: 500 }));
      const created = await Promise.all(texts.map((input) => create({ input })));
      for (let kill = 0; kill < 2; kill++) {
        await until(async () => (await inFlight()) > 0);
        await system.stack.kill(service);
        await system.stack.ready();
      }
      const responses = await Promise.all(created.map((response) => ended(response)));
      const completed = responses.filter(({ status }) => status === 'completed');
      expect(completed.length).toBeGreaterThanOrEqual(CALLS - 16);
      for (const response of completed) expect(response.output_text).toMatch(/^no \d+$/);
      // A call whose answer was lost after it had been charged fails with the id of its request.
      const failed = responses.filter(({ status }) => status !== 'completed');
      for (const { error } of failed) expect(error).toMatchObject({ code: 'internal_error' });
      await system.settled(customer);
      const { charges } = await readLedger(system, customer);
      expect(charges.size).toBe(CALLS);
      for (const { error } of failed)
        expect(charges.has((error as unknown as { request_id: string }).request_id)).toBe(true);
      expect(await system.drift()).toBe(0);
      expect(await openCalls(customer)).toBe(0);
    },
    200_000,
  );
});

describe('without stored responses', () => {
  let off: System;
  beforeAll(async () => {
    off = await startSystem({ env: { STORED_RESPONSES: 'off' } });
  }, 60_000);
  afterAll(async () => {
    await off?.stop();
  }, 30_000);

  test('a call in the background is refused with a detail', async () => {
    const { apiKey } = await off.provision();
    const body = { model: 'sim/chat', input: 'Hi', background: true };
    const { status, json } = await postJson(`${off.stack.apiUrl}/v1/responses`, body, apiKey);
    expect([status, json.error.code, json.error.detail]).toEqual([
      400,
      'invalid_request',
      'background: responses are not stored',
    ]);
  });
});
