import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
let client: Anthropic;
beforeAll(async () => {
  simulator = await Fixture.start();
  client = new Anthropic({ baseURL: `${simulator.url}/anthropic`, apiKey: 'k', maxRetries: 0 });
});
afterAll(() => simulator.stop());

type Messages = Anthropic.MessageParam[];

const ask = (content: string) => ({
  model: 'sim-chat',
  max_tokens: 4_000,
  messages: [{ role: 'user', content }] as Messages,
});

const TOOL = {
  name: 'weather',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    required: ['city', 'days'],
  },
};

test('the client reads a reply, also as a stream', async () => {
  const plain = await client.messages.create(ask('hello'));
  const streamed = await client.messages.stream(ask('hello')).finalMessage();
  for (const message of [plain, streamed]) {
    expect(message).toMatchObject({ stop_reason: 'end_turn', role: 'assistant', type: 'message' });
    expect(message.content).toMatchObject([
      { type: 'text', text: expect.stringContaining('simulated reply') },
    ]);
  }
  expect(plain._request_id).toMatch(/^req_/);
  expect(streamed.usage).toEqual(plain.usage);
  expect(plain.usage.output_tokens).toBeGreaterThan(10);
  // The first call loads the tokenizer, which takes long on a busy machine.
}, 30_000);

test('the client reads a tool call and sends its result', async () => {
  const request = {
    ...ask(sim({ tool_call: { name: 'weather', arguments: { city: 'Oslo', days: 3 } } })),
    tools: [TOOL],
  };
  const plain = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  for (const { content, stop_reason } of [plain, streamed]) {
    expect(stop_reason).toBe('tool_use');
    expect(content).toMatchObject([{ type: 'tool_use', name: 'weather', input: { city: 'Oslo', days: 3 } }]);
    const id = content[0]?.type === 'tool_use' ? content[0].id : '';
    const messages: Messages = [
      ...request.messages,
      { role: 'assistant', content },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: 'fine' },
          { type: 'text', text: sim({ text: 'It is fine.' }) },
        ],
      },
    ];
    const answer = await client.messages.create({ ...request, messages });
    expect(answer.content).toMatchObject([{ type: 'text', text: 'It is fine.' }]);
  }
});

test('a forced tool is called with arguments that satisfy its schema', async () => {
  for (const tool_choice of [{ type: 'any' as const }, { type: 'tool' as const, name: 'weather' }]) {
    const { content } = await client.messages.create({ ...ask('hi'), tools: [TOOL], tool_choice });
    expect(content).toMatchObject([{ type: 'tool_use', name: 'weather', input: { city: 'text', days: 1 } }]);
  }
});

test('thinking comes first and is accepted when sent back unchanged, whether shown or hidden', async () => {
  for (const hide_thinking of [false, true]) {
    const request = ask(sim({ thinking: 'well well', text: 'ok', hide_thinking }));
    const plain = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    expect(streamed.content).toEqual(plain.content);
    expect(plain.usage.output_tokens_details).toEqual({ thinking_tokens: 2 });
    expect(plain.content.map(({ type }) => type)).toEqual([
      hide_thinking ? 'redacted_thinking' : 'thinking',
      'text',
    ]);

    const followUp = (content: Anthropic.ContentBlockParam[]): Messages => [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: 'go on' },
    ];
    await client.messages.create({ ...request, messages: followUp(plain.content) });
    const altered: Anthropic.ContentBlockParam = hide_thinking
      ? { type: 'redacted_thinking', data: 'abcd' }
      : { ...(plain.content[0] as Anthropic.ThinkingBlock), thinking: 'well, well' };
    await expect(
      client.messages.create({ ...request, messages: followUp([altered, { type: 'text', text: 'ok' }]) }),
    ).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
  }
});

test('omitted thinking keeps its signature, which is accepted when sent back', async () => {
  const thinking = { type: 'adaptive' as const, display: 'omitted' as const };
  const request = { ...ask(sim({ thinking: 'well well', text: 'ok' })), thinking };
  const plain = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  expect(streamed.content).toEqual(plain.content);
  expect(plain.content).toMatchObject([
    { type: 'thinking', thinking: '', signature: expect.stringMatching(/./) },
    { type: 'text', text: 'ok' },
  ]);
  const messages: Messages = [
    ...request.messages,
    { role: 'assistant', content: plain.content },
    { role: 'user', content: 'go on' },
  ];
  await client.messages.create({ ...request, messages });
});

test('the client reads parallel tool calls and sends their results together', async () => {
  const tool_call = [{ name: 'a', arguments: { n: 1 } }, { name: 'b' }, { name: 'a', arguments: { n: 2 } }];
  const request = ask(sim({ tool_call, text: 'well' }));
  const plain = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  for (const { content } of [plain, streamed]) {
    const calls = content.filter((block) => block.type === 'tool_use');
    expect(calls).toMatchObject([
      { name: 'a', input: { n: 1 } },
      { name: 'b', input: {} },
      { name: 'a', input: { n: 2 } },
    ]);
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id }));
    const messages: Messages = [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: results },
    ];
    await client.messages.create({ ...request, messages });
  }
});

test('the reply satisfies the requested output format', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' }, minItems: 2 } },
    required: ['name', 'tags'],
    additionalProperties: false,
  };
  const message = await client.messages.parse({
    ...ask('hi'),
    output_config: { format: { type: 'json_schema', schema } },
  });
  expect(message.content[0]).toMatchObject({ text: '{"name":"text","tags":["text","text"]}' });
});

test("failures raise the client's own error classes", async () => {
  const call = (directive: object) => client.messages.create(ask(sim(directive)));
  await expect(call({ status: 429 })).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  await expect(call({ status: 401 })).rejects.toMatchObject({ type: 'authentication_error' });
  await expect(call({ status: 529 })).rejects.toMatchObject({ type: 'overloaded_error' });
  await expect(call({ reset: true })).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  const broken = client.messages
    .stream(ask(sim({ stream_error: true, drop_after_chunks: 3 })))
    .finalMessage();
  await expect(broken).rejects.toMatchObject({ type: 'overloaded_error' });
});

test('the client counts tokens and lists models', async () => {
  const { max_tokens, ...prompt } = ask('hello');
  const { input_tokens } = await client.messages.countTokens(prompt);
  const { usage } = await client.messages.create({ ...prompt, max_tokens });
  expect(input_tokens).toBe(usage.input_tokens);
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toContain('sim-chat');
});
