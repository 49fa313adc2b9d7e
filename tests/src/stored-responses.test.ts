import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateText, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import { placesOfSecrets } from './support/find-secrets';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { queryDatabase } from './support/query-database';
import { type Customer, type System, startSystem } from './support/system';

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

const MISSING_ID = 'resp_01890000-0000-7000-8000-000000000001';
const url = (path = '') => `${system.stack.apiUrl}/v1/responses${path}`;
const authorization = ({ apiKey } = customer) => ({ authorization: `Bearer ${apiKey}` });
const create = (fields: object, { apiKey } = customer): Promise<HttpAnswer> =>
  postJson(url(), { model: 'sim/chat', input: 'Hello', ...fields }, apiKey);
const get = (path: string, by = customer): Promise<HttpAnswer> =>
  sendRequest(url(path), 'GET', authorization(by));
const post = (path: string, by = customer): Promise<HttpAnswer> =>
  sendRequest(url(path), 'POST', authorization(by));
const client = () =>
  new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
const directive = (value: object) => `[[sim ${JSON.stringify(value)}]]`;

/** Returns the text that the simulator received as the prompt of a call. */
const promptTokensOf = async (requestId: string): Promise<number> =>
  (await system.meter({ requestId })).entries[0]!.prompt_tokens;
const requestIdOf = (responseId: string) => responseId.slice('resp_'.length);

describe('the openai package', () => {
  test.each([false, true])(
    'continues, retrieves and lists the input of a response (stream: %p)',
    async (stream) => {
      const openai = client();
      const ask = async (params: object) => {
        const body = { model: 'sim/chat', ...params } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
        if (!stream) return openai.responses.create(body);
        return openai.responses.stream({ ...body, stream: true } as never).finalResponse();
      };
      const first = await ask({ input: directive({ text: 'one two three' }), instructions: 'Only now.' });
      expect(first).toMatchObject({ store: true, previous_response_id: null });
      const second = await ask({ input: 'Again.', previous_response_id: first.id });
      expect(second).toMatchObject({ store: true, previous_response_id: first.id });
      // The prompt has the first turn's texts, without its instructions.
      const alone = await ask({ input: 'Again.', store: false });
      const added =
        (await promptTokensOf(requestIdOf(second.id))) - (await promptTokensOf(requestIdOf(alone.id)));
      expect(added).toBeGreaterThanOrEqual(10);
      expect(second.usage!.input_tokens).toBe(await promptTokensOf(requestIdOf(second.id)));

      // The package adds members to what it received.
      const retrieved = JSON.parse(JSON.stringify(await openai.responses.retrieve(second.id)));
      expect(JSON.parse(JSON.stringify(second))).toMatchObject(retrieved);
      const items = await openai.responses.inputItems.list(second.id);
      expect(items.data).toMatchObject([
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Again.' }] },
      ]);
      await system.settled(customer);
      expect((await readLedger(system, customer)).charges.size).toBe(3);
    },
  );

  test.each(['sim/chat', 'openai/gpt-5.5', 'anthropic/claude-opus-4-8'])(
    'compacts a stored conversation of %s and goes on from that',
    async (model) => {
      const openai = client();
      const first = await openai.responses.create({ model, input: 'Name a river.' });
      const compacted = await openai.responses.compact({
        model: model as 'gpt-5.5',
        previous_response_id: first.id,
      });
      expect(compacted.object).toBe('response.compaction');
      expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction']);
      expect(compacted.usage.input_tokens).toBe(await promptTokensOf(requestIdOf(compacted.id)));
      const input = [
        ...compacted.output,
        { role: 'user', content: 'Go on.' },
      ] as OpenAI.Responses.ResponseInput;
      expect(await openai.responses.create({ model, input })).toMatchObject({ status: 'completed' });
      // As Codex asks for it.
      const trigger = [{ type: 'compaction_trigger' }] as unknown as OpenAI.Responses.ResponseInput;
      const triggered = await openai.responses.create({
        ...{ model, previous_response_id: first.id, input: trigger },
      });
      expect(triggered.output.map(({ type }) => type)).toEqual(['compaction']);
      const next = { model, previous_response_id: triggered.id, input: 'Go on.' };
      expect(await openai.responses.create(next)).toMatchObject({ status: 'completed' });
      await system.settled(customer);
      const { charges } = await readLedger(system, customer);
      expect(charges.size).toBe(5);
      expect(charges.has(requestIdOf(compacted.id))).toBe(true);
    },
  );

  test('pages through input items in both orders', async () => {
    const input = ['a', 'b', 'c', 'd', 'e'].map((content) => ({ role: 'user' as const, content }));
    const { id } = await client().responses.create({ model: 'sim/chat', input });
    const texts: string[] = [];
    for await (const item of client().responses.inputItems.list(id, { limit: 2, order: 'asc' }))
      texts.push((item as { content: { text: string }[] }).content[0]!.text);
    expect(texts).toEqual(['a', 'b', 'c', 'd', 'e']);
    const { json } = await get(`/${id}/input_items?limit=2`);
    expect([json.object, json.has_more, json.data.length]).toEqual(['list', true, 2]);
    expect([json.first_id, json.last_id]).toEqual([json.data[0].id, json.data[1].id]);
    expect(json.data[0].content[0].text).toBe('e');
    for (const query of ['limit=0', 'limit=101', 'order=up', 'after=none', 'x=1'])
      expect((await get(`/${id}/input_items?${query}`)).json.error.code).toBe('invalid_request');
  });
});

const TOOL = {
  type: 'function',
  name: 'look',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
};

describe.each([
  'sim/chat',
  'openai/gpt-5.5',
  'anthropic/claude-opus-4-8',
  'google/gemini-3.5-flash',
  'deepseek/deepseek-v4-pro',
  'mistral/magistral-medium-latest',
])('a tool loop by previous_response_id with %s', (model) => {
  test.each([false, true])(
    'sends only the outputs, and is charged for all of it (stream: %p)',
    async (stream) => {
      const ask = async (fields: object): Promise<OpenAI.Responses.Response> => {
        const answer = await create({
          model,
          tools: [TOOL],
          reasoning: { effort: 'high', summary: 'auto' },
          stream,
          ...fields,
        });
        if (!stream) return answer.json;
        const events = answer.text
          .trimEnd()
          .split('\n\n')
          .map((frame) => JSON.parse(frame.split('data: ')[1]!));
        return events.at(-1).response;
      };
      const prompt = directive({
        thinking: 'Let me look.',
        tool_call: { name: 'look', arguments: { at: 'x' } },
        later: [{ text: 'Found it.' }],
      });
      const first = await ask({ input: prompt });
      const call = first.output.find((item) => item.type === 'function_call');
      expect(call).toMatchObject({ name: 'look' });
      expect(JSON.stringify(first)).not.toContain('encrypted_content');
      const output = { type: 'function_call_output', call_id: call!.call_id, output: 'It is here.' };
      const second = await ask({ input: [output], previous_response_id: first.id });
      expect([second.error, second.status]).toEqual([null, 'completed']);
      expect(JSON.stringify(second.output)).toContain('Found it.');
      await system.settled(customer);
      const ids = [first, second].map(({ id }) => requestIdOf(id));
      expect(new Set((await readLedger(system, customer)).charges.keys())).toEqual(new Set(ids));
    },
  );
});

test("Vercel's openai() goes on by references to stored messages, reasoning and calls", async () => {
  const sent: string[] = [];
  const provider = createOpenAI({
    baseURL: `${system.stack.apiUrl}/v1`,
    apiKey: customer.apiKey,
    fetch: (target, init) => {
      sent.push(String(init?.body));
      return fetch(target, init);
    },
  });
  const options = { openai: { forceReasoning: true, reasoningSummary: 'auto' } };
  const model = provider('anthropic/claude-opus-4-8');
  const prompt = `Hello. ${directive({ thinking: 'Hm.', text: 'I am here.' })}`;
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
  const first = await generateText({ model, messages, providerOptions: options });
  expect(first.text).toBe('I am here.');
  messages.push(...first.response.messages, { role: 'user', content: 'And now?' });
  const second = await generateText({ model, messages, providerOptions: options });
  expect(second.text).not.toBe('');
  const references = JSON.parse(sent[1]!).input.filter(
    ({ type }: { type?: string }) => type === 'item_reference',
  );
  expect(references.map(({ id }: { id: string }) => id.slice(0, 3))).toEqual(['rs_', 'msg']);
  messages.push(...second.response.messages, { role: 'user', content: 'And later?' });
  expect((await generateText({ model, messages, providerOptions: options })).text).not.toBe('');
});

describe('a response', () => {
  test('of another account is not found, by any route', async () => {
    const { json } = await create({});
    const item = { type: 'item_reference', id: json.output[0].id };
    const other = await system.provision();
    const answers = [
      await get(`/${json.id}`, other),
      await get(`/${json.id}/input_items`, other),
      await post(`/${json.id}/cancel`, other),
      await post(`/${json.id}/delete`, other),
      await create({ previous_response_id: json.id }, other),
      await create({ input: [item, { role: 'user', content: 'x' }] }, other),
    ];
    expect(answers.map(({ status, json: { error } }) => [status, error.code])).toEqual(
      answers.map(() => [404, 'not_found']),
    );
    expect((await get(`/${json.id}`)).status).toBe(200);
    expect((await readLedger(system, other)).charges.size).toBe(0);
  });

  test('that has expired, or whose conversation began with one, is not found', async () => {
    const first = (await create({})).json.id;
    const second = (await create({ previous_response_id: first })).json.id;
    await queryDatabase(system, `UPDATE storage.responses SET expires_at = now() WHERE id = $1`, [first]);
    expect((await get(`/${first}`)).json.error.code).toBe('not_found');
    expect((await get(`/${second}`)).status).toBe(200);
    for (const previous_response_id of [first, second, MISSING_ID, 'x']) {
      const answer = await create({ previous_response_id });
      expect([answer.status, answer.json.error.code]).toEqual([404, 'not_found']);
    }
  });

  test('is gone after it was deleted', async () => {
    const { id } = (await create({})).json;
    expect((await post(`/${id}/delete`)).json).toEqual({ id, object: 'response', deleted: true });
    expect((await post(`/${id}/delete`)).status).toBe(404);
    expect((await get(`/${id}`)).status).toBe(404);
    const rows = await queryDatabase(system, 'SELECT FROM storage.responses WHERE id = $1', [id]);
    expect(rows).toEqual([]);
  });

  test('that was not in the background cannot be cancelled', async () => {
    const { id } = (await create({})).json;
    const answer = await post(`/${id}/cancel`);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
  });

  test('cannot be deleted by the method DELETE', async () => {
    const { id } = (await create({})).json;
    expect((await sendRequest(url(`/${id}`), 'DELETE', authorization())).status).toBe(404);
    expect((await get(`/${id}`)).status).toBe(200);
  });

  test.each([false, true])('that was cut is stored as incomplete (stream: %p)', async (stream) => {
    const input = directive({ text: 'one two three four five six', finish_reason: 'length' });
    const answer = await create({ input, max_output_tokens: 3, stream });
    const id = `resp_${answer.headers['x-request-id']}`;
    expect((await get(`/${id}`)).json).toMatchObject({ id, status: 'incomplete', store: true });
  });

  test('that failed is not stored', async () => {
    const input = directive({ text: 'one two three', chunks: 3, drop_after_chunks: 2 });
    const answer = await create({ input, stream: true });
    expect(answer.text).toMatch(/"type":"response.failed".*"store":false/);
    expect((await get(`/resp_${answer.headers['x-request-id']}`)).status).toBe(404);
  });

  test('with encrypted content returns it only if it is asked for', async () => {
    const input = directive({ thinking: 'Hm.', text: 'Yes.' });
    const reasoning = { effort: 'high', summary: 'auto' };
    const include = ['reasoning.encrypted_content'];
    const { json } = await create({ model: 'anthropic/claude-opus-4-8', input, include, reasoning });
    expect(json.output[0].encrypted_content).toMatch(/./);
    const plain = (await get(`/${json.id}`)).json;
    expect([plain.output[0].type, plain.output[0].encrypted_content]).toEqual(['reasoning', undefined]);
    expect((await get(`/${json.id}?include[]=${include}`)).json).toEqual(json);
  });

  test('counts against RPM when it is read, and costs nothing', async () => {
    const limited = await system.provision({ key: { rpm_limit: 2 } });
    const { id } = (await create({}, limited)).json;
    expect((await get(`/${id}`, limited)).status).toBe(200);
    expect((await get(`/${id}`, limited)).json.error.code).toBe('rpm_rate_limited');
    await system.settled(limited);
    expect((await readLedger(system, limited)).charges.size).toBe(1);
  });

  test('with store: false is not stored', async () => {
    const { json } = await create({ store: false });
    expect(json.store).toBe(false);
    expect((await get(`/${json.id}`)).status).toBe(404);
  });
});

test('nothing of a prompt or a reply is in clear on disk or in logs', async () => {
  const secrets = ['a-very-secret-question', 'a-very-secret-answer'];
  const input = `${secrets[0]} ${directive({ text: secrets[1] })}`;
  const { json } = await create({ input });
  expect((await get(`/${json.id}`)).json.output[0].content[0].text).toBe(secrets[1]);
  expect(await placesOfSecrets(system, secrets)).toEqual([]);
});

test('while storage is down, a call that needs it fails for free, and another one is answered and not stored', async () => {
  const { id } = (await create({})).json;
  await system.settled(customer);
  const before = await system.metric('chat', 'chat_stored_responses_total');
  process.kill(system.stack.pid('storage'), 'SIGSTOP');
  const pid = system.stack.pid('storage');
  try {
    const [needs, without, streamed, codex] = await Promise.all([
      create({ previous_response_id: id }),
      create({}),
      create({ stream: true }),
      create({ store: false }),
    ]);
    expect([needs.status, needs.json.error.code]).toEqual([500, 'internal_error']);
    expect([without.status, without.json.status, without.json.store]).toEqual([200, 'completed', false]);
    expect(streamed.text).toMatch(/"type":"response.created".*"store":true/);
    expect(streamed.text).toMatch(/"type":"response.completed".*"store":false/);
    expect(codex.json.store).toBe(false);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await system.settled(customer);
  expect((await readLedger(system, customer)).charges.size).toBe(4);
  expect(await system.metric('chat', 'chat_stored_responses_total')).toBe(before + 2);
}, 40_000);

describe('with stored responses off', () => {
  let off: System;
  let caller: Customer;
  beforeAll(async () => {
    off = await startSystem({ env: { STORED_RESPONSES: 'off' } });
    caller = await off.provision();
  }, 60_000);
  afterAll(async () => {
    await off?.stop();
  }, 30_000);
  const createOff = (fields: object) =>
    postJson(
      `${off.stack.apiUrl}/v1/responses`,
      { model: 'sim/chat', input: 'Hi', ...fields },
      caller.apiKey,
    );

  test.each([
    { store: true },
    { previous_response_id: MISSING_ID },
    { background: true },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
  ])('%j is refused with a detail', async (fields) => {
    const { status, json } = await createOff(fields);
    expect([status, json.error]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', detail: expect.any(String) }),
    ]);
  });

  test('an absent store means false, and nothing of a prompt is on disk', async () => {
    const { json } = await createOff({
      input: `a-very-secret-question ${directive({ text: 'a-very-secret-answer' })}`,
    });
    expect([json.status, json.store]).toEqual(['completed', false]);
    expect(await queryDatabase(off, 'SELECT id FROM storage.responses', [])).toEqual([]);
    expect(await placesOfSecrets(off, ['a-very-secret'])).toEqual([]);
  });
});
