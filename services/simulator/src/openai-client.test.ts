import { afterAll, beforeAll, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
let client: OpenAI;
beforeAll(async () => {
  simulator = await Fixture.start();
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: 'k', maxRetries: 0 });
});
afterAll(() => simulator.stop());

const ask = (content: string) => ({ model: 'sim-chat', messages: [{ role: 'user' as const, content }] });

test('the client reads a reply', async () => {
  const reply = await client.chat.completions.create(ask('hello'));
  expect(reply.choices[0]?.message.content).toContain('simulated reply');
  expect(reply._request_id).toMatch(/^req_/);
  const { prompt_tokens, completion_tokens, total_tokens } = reply.usage ?? {};
  expect(total_tokens).toBe((prompt_tokens ?? 0) + (completion_tokens ?? 0));
});

test('the client reads a stream', async () => {
  let text = '';
  let finishReason: string | null = null;
  for await (const chunk of await client.chat.completions.create({ ...ask('hello'), stream: true })) {
    expect(chunk.usage).toBeUndefined();
    text += chunk.choices[0]?.delta.content ?? '';
    finishReason = chunk.choices[0]?.finish_reason ?? finishReason;
  }
  expect(text).toContain('simulated reply');
  expect(finishReason).toBe('stop');
});

test('the client reads the usage of a stream', async () => {
  const plain = await client.chat.completions.create(ask('hello'));
  const stream = client.chat.completions.stream({ ...ask('hello'), stream_options: { include_usage: true } });
  const usages: unknown[] = [];
  stream.on('chunk', (chunk) => usages.push(chunk.usage));
  const total = await stream.totalUsage();
  expect(total.completion_tokens).toBe(plain.usage?.completion_tokens);
  expect(usages.slice(0, -1).every((usage) => usage === null)).toBe(true);
  expect(usages.at(-1)).toEqual(plain.usage);
});

test.each([1, 2])('the client reads a tool call in each of %d choices', async (n) => {
  const request = {
    ...ask(sim({ tool_call: { name: 'weather', arguments: { city: 'Oslo', days: 3 } } })),
    n,
  };
  const plain = await client.chat.completions.create(request);
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();
  for (const { choices } of [plain, streamed]) {
    expect(choices).toHaveLength(n);
    for (const choice of choices) {
      expect(choice.finish_reason).toBe('tool_calls');
      expect(choice.message.content).toBeNull();
      const call = choice.message.tool_calls?.[0];
      expect(call?.id).toMatch(/^call_[0-9a-f]{24}$/);
      expect(call).toMatchObject({
        type: 'function',
        function: { name: 'weather', arguments: '{"city":"Oslo","days":3}' },
      });
    }
  }
});

test('the client reads parallel tool calls', async () => {
  const tool_call = [{ name: 'a', arguments: { n: 1 } }, { name: 'b' }, { name: 'a', arguments: { n: 2 } }];
  const request = { ...ask(sim({ tool_call, text: 'well' })), n: 2 };
  const plain = await client.chat.completions.create(request);
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();
  for (const { choices } of [plain, streamed]) {
    const calls = choices.map(({ message }) => message.tool_calls ?? []);
    expect(new Set(calls.flat().map(({ id }) => id)).size).toBe(6);
    for (const made of calls) {
      expect(made.map((call) => call.type === 'function' && call.function)).toMatchObject([
        { name: 'a', arguments: '{"n":1}' },
        { name: 'b', arguments: '{}' },
        { name: 'a', arguments: '{"n":2}' },
      ]);
    }
  }
});

test("failures raise the client's own error classes", async () => {
  const call = (directive: object) => client.chat.completions.create(ask(sim(directive)));
  await expect(call({ status: 429 })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  await expect(call({ status: 401 })).rejects.toMatchObject({ code: 'invalid_api_key' });
  await expect(call({ status: 500 })).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  await expect(call({ reset: true })).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
});

test('the client lists and gets models', async () => {
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toContain('sim-chat');
});

test.each([
  ['a directive repeats', sim({ tool_call: { name: 'weather' } }), {}],
  ['the request forces', 'hello', { tool_choice: 'required' as const }],
])('a loop of tool calls that %s ends with a text after 20 rounds', async (_, content, more) => {
  const tools = [{ type: 'function' as const, function: { name: 'weather' } }];
  const { messages, model } = ask(content);
  const conversation: OpenAI.ChatCompletionMessageParam[] = [...messages];
  for (let round = 0; round <= 20; round++) {
    const reply = await client.chat.completions.create({ model, tools, messages: conversation, ...more });
    const message = reply.choices[0]!.message;
    expect(message.tool_calls?.length ?? 0).toBe(round < 20 ? 1 : 0);
    conversation.push(message, {
      role: 'tool',
      tool_call_id: message.tool_calls?.[0]?.id ?? '',
      content: 'rain',
    });
  }
});
