import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type HttpAnswer, openStream, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { MADE_INPUT_NANO, MADE_OUTPUT_NANO, makeModel } from './support/make-model';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

const SEARCH_USD = 0.01;
const SEARCH_NANO = 10_000_000n;
const PROMPT_NANO = 35_000_000n;
const RATES = { input: 1, output: 4, cache_read: 1, cache_write: 1 };
const pricing = (units: object) => ({ pricing: { tokens: { ...RATES, units } } });
const TWO = '[[sim {"text":"It rains.","searches":["weather oslo","news"]}]]';
const TOOL = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };

let system: System;
let customer: Customer;
const models: Record<string, string> = {};

beforeAll(async () => {
  system = await startSystem();
  customer = await system.provision();
  await system.dashboard.call('POST', 'admin/providers', await system.operatorToken(), {
    ...{ id: 'google', kind: 'gemini', base_url: `${system.stack.simulatorUrl}/gemini` },
    credentials: [{ name: 'main', secret: 'a-key-of-google' }],
  });
  const make = async (name: string, provider: string, units: object) => {
    models[name] = await makeModel(system, customer, name, [{ provider }], pricing(units));
  };
  await make('anthropic', 'anthropic', { web_search: SEARCH_USD });
  await make('gemini', 'google', { web_search: SEARCH_USD });
  await make('by-prompt', 'google', { web_search_prompt: 0.035 });
  await make('unpriced', 'anthropic', {});
  await make('openai', 'openai', { web_search: SEARCH_USD });
  await make('xai', 'xai', { web_search: SEARCH_USD });
  await make('cannot', 'deepseek', { web_search: SEARCH_USD });
}, 90_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterEach(async () => {
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'operator_loss_nano')).toBe(0);
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const FORMATS = ['chat completions', 'messages', 'responses', 'generateContent'] as const;
type Format = (typeof FORMATS)[number];

function requestOf(format: Format, model: string, text: string, stream: boolean): [string, object] {
  const messages = [{ role: 'user', content: text }];
  switch (format) {
    case 'chat completions':
      return ['/v1/chat/completions', { model, messages, stream, web_search_options: {} }];
    case 'messages':
      return ['/v1/messages', { model, messages, stream, max_tokens: 100, tools: [TOOL] }];
    case 'responses':
      return [
        '/v1/responses',
        {
          model,
          input: text,
          stream,
          max_output_tokens: 100,
          max_tool_calls: 3,
          tools: [{ type: 'web_search' }],
        },
      ];
    case 'generateContent': {
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const body = { contents: [{ parts: [{ text }] }], tools: [{ googleSearch: {} }] };
      return [`/v1beta/models/${model}:${method}`, body];
    }
  }
}

const post = (path: string, body: object, { apiKey } = customer): Promise<HttpAnswer> =>
  sendRequest(
    system.stack.apiUrl + path,
    'POST',
    {
      'content-type': 'application/json',
      ...(path.startsWith('/v1beta') ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` }),
    },
    Buffer.from(JSON.stringify(body)),
  );

const search = (format: Format, model: string, text = TWO, stream = false) =>
  post(...requestOf(format, models[model]!, text, stream));
const requestIdOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);

/** Checks that the call is the account's only charge: its metered tokens, and this for its searches. */
async function expectPaid(answer: HttpAnswer, searchesNano: bigint): Promise<void> {
  const [entry] = (await system.meter({ requestId: requestIdOf(answer) })).entries;
  const tokensNano =
    BigInt(entry!.prompt_tokens) * MADE_INPUT_NANO + BigInt(entry!.completion_tokens) * MADE_OUTPUT_NANO;
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect([...charges]).toEqual([[requestIdOf(answer), tokensNano + searchesNano]]);
}

describe.each(['anthropic', 'gemini', 'openai', 'xai'])('a model of %s', (model) => {
  test.each(
    FORMATS.flatMap(
      (format) =>
        [
          [format, false],
          [format, true],
        ] as const,
    ),
  )('searches for a client of %s (streamed: %s), and each search is charged', async (format, stream) => {
    const answer = await search(format, model, TWO, stream);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('search.example')]);
    await expectPaid(answer, 2n * SEARCH_NANO);
    const record = await readUsageRecord(system, requestIdOf(answer));
    expect(record?.units).toMatchObject({ web_search: 2 });
  });
});

test.each(['openai', 'xai'])('a model of %s searches as Codex asks for it', async (model) => {
  const tool = { type: 'web_search', external_web_access: true, search_content_types: ['text', 'image'] };
  const answer = await post('/v1/responses', { model: models[model], input: TWO, tools: [tool] });
  expect([answer.status, answer.json.max_tool_calls]).toEqual([200, null]);
  await expectPaid(answer, 2n * SEARCH_NANO);
});

test('a search and a function beside it are answered by OpenAI in every format', async () => {
  const text = '[[sim {"searches":["oslo"],"tool_call":{"name":"f","arguments":{"q":1}}}]]';
  const parameters = { type: 'object', properties: { q: { type: 'number' } } };
  const [path, body] = requestOf('messages', models.openai!, text, false);
  const answer = await post(path, { ...body, tools: [TOOL, { name: 'f', input_schema: parameters }] });
  expect(answer.json.stop_reason).toBe('tool_use');
  expect(answer.json.content.map(({ type }: { type: string }) => type)).toEqual([
    ...['server_tool_use', 'web_search_tool_result', 'tool_use'],
  ]);
  const [, chat] = requestOf('chat completions', models.openai!, text, false);
  const tools = [{ type: 'function', function: { name: 'f', parameters } }];
  const { json } = await post('/v1/chat/completions', { ...chat, tools });
  expect(json.choices[0].message.tool_calls).toMatchObject([
    { function: { name: 'f', arguments: '{"q":1}' } },
  ]);
});

test('a price for prompts with searches is charged once, however many searches there were', async () => {
  await expectPaid(await search('messages', 'by-prompt'), PROMPT_NANO);
});

test('an offered search that the model does not use is free', async () => {
  const answer = await search('messages', 'anthropic', '[[sim {"searches":[]}]]');
  await expectPaid(answer, 0n);
});

test.each([
  ['unpriced', 'web search: sim/unpriced has no price for it'],
  ['cannot', 'web search: not supported by this model'],
])('the model %s refuses it', async (model, detail) => {
  for (const format of FORMATS) {
    const { status, json } = await search(format, model);
    expect([status, json.error]).toMatchObject([400, { code: 'invalid_request', detail }]);
  }
  expect((await readLedger(system, customer)).charges.size).toBe(0);
});

test("a key's limit of the cost of one call counts the searches", async () => {
  // 3 searches are 0.03 USD, and the tokens of the call and of the results are about 0.1 USD.
  const limited = await system.provision({ key: { request_cost_limit: 0.025 } });
  const short = (max_uses: number, model: string) => {
    const [path, body] = requestOf('messages', models[model]!, '[[sim {"searches":["a"]}]]', false);
    return post(path, { ...body, tools: [{ ...TOOL, max_uses }] }, limited);
  };
  const refused = await short(3, 'gemini');
  expect([refused.status, refused.json.error.code]).toEqual([402, 'request_cost_limit']);
  expect((await short(2, 'gemini')).status).toBe(200);
});

test('the body with which Claude Code searches is answered in the blocks that it reads', async () => {
  for (const model of ['anthropic', 'gemini', 'openai']) {
    const { status, json } = await post('/v1/messages?beta=true', {
      model: models[model],
      max_tokens: 1_000,
      system: [{ type: 'text', text: 'You are an assistant for performing a web search tool use' }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: `Perform a web search for the query: oslo ${TWO}` }],
        },
      ],
      tools: [{ ...TOOL, max_uses: 8 }],
      tool_choice: { type: 'tool', name: 'web_search' },
      thinking: { type: 'disabled' },
      metadata: { user_id: 'u' },
    });
    expect(status).toBe(200);
    const searches = json.content.filter(({ type }: { type: string }) => type === 'server_tool_use');
    const results = json.content.filter(({ type }: { type: string }) => type === 'web_search_tool_result');
    expect(searches.map(({ input }: { input: object }) => input)).toEqual([
      { query: 'weather oslo' },
      { query: 'news' },
    ]);
    // OpenAI names only the address of what a search found.
    const url = 'https://search.example/weather%20oslo';
    const title = model === 'openai' ? url : 'About weather oslo';
    expect(results[0].content[0]).toMatchObject({ type: 'web_search_result', url, title });
    expect(json.usage.server_tool_use.web_search_requests).toBe(2);
  }
});

test('a conversation with searches goes on with its own model and with the other one', async () => {
  for (const first of ['anthropic', 'gemini', 'openai']) {
    const [path, body] = requestOf('messages', models[first]!, TWO, false);
    const { json } = await post(path, body);
    for (const next of ['anthropic', 'gemini', 'openai']) {
      const answer = await post(path, {
        ...body,
        model: models[next],
        messages: [
          { role: 'user', content: TWO },
          { role: 'assistant', content: json.content },
          { role: 'user', content: '[[sim {"text":"And on.","searches":[]}]]' },
        ],
      });
      expect([first, next, answer.status, answer.json.error ?? answer.json.content.at(-1).text]).toEqual([
        ...[first, next, 200, 'And on.'],
      ]);
    }
  }
});

test('a client that leaves during the answer has paid for the searches that it was shown', async () => {
  const text = '[[sim {"searches":["a","b"],"chunks":200,"chunk_delay_ms":50}]]';
  const [path, body] = requestOf('messages', models.anthropic!, text, true);
  const stream = await openStream(system.stack.apiUrl + path, JSON.stringify(body), customer.apiKey);
  for await (const bytes of stream.body) if (String(bytes).includes('text_delta')) break;
  stream.leave();
  await system.settled(customer);
  const [charge] = (await readLedger(system, customer)).charges.values();
  expect(charge).toBeGreaterThan(2n * SEARCH_NANO);
  expect(charge).toBeLessThan(2n * SEARCH_NANO + 2_000_000n);
});
