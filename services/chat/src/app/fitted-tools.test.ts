import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { fittedBody } from './fitted-body';
import { OriginalNames, renamedTools } from './fitted-tools';
import { callThrough } from './recorded-call.fixture';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

/** As Claude Code names the tools of MCP servers. */
const LONG = `mcp__${'browser-automation-'.repeat(4)}__navigate_to_the_page`;
const parameters = { type: 'object', properties: {} };
const args = { at: 'Rome' };
const USER = { role: 'user', content: 'Rome?' };

/** A call that declares, has called and forces a tool of this name. */
const CALLERS = {
  chat: (name: string, stream = false) =>
    CALLS.chat({
      stream,
      tools: [
        { type: 'function', function: { name, parameters } },
        { type: 'function', function: { name: 'plain', parameters } },
      ],
      tool_choice: { type: 'function', function: { name } },
      messages: [
        USER,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'sunny' },
      ],
    }),
  responses: (name: string, stream = false) =>
    CALLS.responses({
      stream,
      tools: [{ type: 'function', name, parameters }],
      tool_choice: { type: 'function', name },
      input: [
        USER,
        { type: 'function_call', call_id: 'c', name, arguments: JSON.stringify(args) },
        { type: 'function_call_output', call_id: 'c', output: 'sunny' },
      ],
    }),
  messages: (name: string, stream = false) =>
    CALLS.messages({
      stream,
      tools: [{ name, input_schema: parameters }],
      tool_choice: { type: 'tool', name },
      messages: [
        USER,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name, input: args }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'sunny' }] },
      ],
    }),
  generateContent: (name: string, stream = false) =>
    CALLS.generateContent(
      {
        tools: [{ functionDeclarations: [{ name, parametersJsonSchema: parameters }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } },
        contents: [
          { role: 'user', parts: [{ text: 'Rome?' }] },
          { role: 'model', parts: [{ functionCall: { id: 'c', name, args } }] },
          { role: 'user', parts: [{ functionResponse: { id: 'c', name, response: { output: 'sunny' } } }] },
        ],
      },
      stream,
    ),
};

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
const sse = (...events: (object | string)[]) =>
  events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join('');
const named = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function chatReply(name: string, stream: boolean): string {
  const call = { index: 0, id: 'x', type: 'function', function: { name, arguments: '{}' } };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'r',
    choices: [{ index: 0, delta, finish_reason }],
  });
  if (stream)
    return sse(
      chunk({ role: 'assistant', tool_calls: [call] }),
      chunk({}, 'tool_calls'),
      { id: 'r', choices: [], usage },
      'data: [DONE]\n\n',
    );
  return JSON.stringify({
    id: 'r',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [call] },
        finish_reason: 'tool_calls',
      },
    ],
    usage,
  });
}

function messagesReply(name: string, stream: boolean): string {
  const use = { type: 'tool_use', id: 'toolu_1', name, input: {} };
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [use],
    stop_reason: 'tool_use',
    usage: { input_tokens: 5, output_tokens: 5 },
  };
  if (!stream) return JSON.stringify(message);
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: use },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
    .map(named)
    .join('');
}

function googleReply(name: string, stream: boolean): string {
  const reply = {
    candidates: [
      {
        content: { role: 'model', parts: [{ functionCall: { id: 'x', name, args: {} } }] },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
  };
  return stream ? sse(reply) : JSON.stringify(reply);
}

function responsesReply(name: string, stream: boolean): string {
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'x',
    name,
    arguments: '{}',
    status: 'completed',
  };
  return responseWith(item, { type: 'function', name, parameters }, stream);
}

/** Returns a response with one item, whole or streamed. */
function responseWith(item: object, tool: object, stream: boolean): string {
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [item],
    tools: [tool],
    usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
  };
  if (!stream) return JSON.stringify(response);
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
    .map(named)
    .join('');
}

const cohereReply = (name: string) =>
  JSON.stringify({
    id: 'r',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_calls: [{ id: 'x', type: 'function', function: { name, arguments: '{}' } }],
    },
    usage: { billed_units: { input_tokens: 5, output_tokens: 5 } },
  });
const converseReply = (name: string) =>
  JSON.stringify({
    output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'x', name, input: {} } }] } },
    stopReason: 'tool_use',
    usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10 },
  });

const openAi = providerOf('openai', {});
const COMMON = /^[a-zA-Z0-9_-]{1,64}$/;
const PROVIDERS: readonly (readonly [
  string,
  ChatProvider,
  RegExp,
  (name: string, stream: boolean) => string,
])[] = [
  ['OpenAI', { ...providerOf('azure-openai'), id: 'openai' }, COMMON, chatReply],
  ['a compatible server', openAi, COMMON, chatReply],
  ['Mistral', providerOf('mistral'), COMMON, chatReply],
  ['Anthropic', providerOf('anthropic'), /^[a-zA-Z0-9_-]{1,128}$/, messagesReply],
  ['Gemini', providerOf('gemini'), /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, googleReply],
  ['Cohere', providerOf('cohere'), COMMON, cohereReply],
  ['Bedrock', providerOf('bedrock', { region: 'us-east-1' }), COMMON, converseReply],
];

const NAMES = [LONG, 'weather.today:°C', '7 days', `x${'.'.repeat(200)}`];

/** Returns every value of a member `name`, at any depth. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'name' && typeof inner === 'string' ? [inner] : namesIn(inner),
  );
}

/** Sends the call and returns the names that the provider got, and the body of the reply to the caller. */
async function roundTrip(
  provider: ChatProvider,
  request: CallerRequest,
  reply: (name: string, stream: boolean) => string,
) {
  let sent: unknown;
  const upstream = {
    send: async ({ body }: { body?: Buffer | undefined }) => {
      sent = JSON.parse(String(body));
      const [name] = namesIn(
        (sent as { tools?: unknown; toolConfig?: unknown }).tools ??
          (sent as { toolConfig?: unknown }).toolConfig,
      );
      return {
        status: 200,
        headers: {},
        body: (async function* () {
          yield Buffer.from(reply(name!, request.stream));
        })(),
      };
    },
  };
  const { body, error } = await callThrough(
    { ...provider, address: () => ({ url: new URL('https://provider.invalid'), headers: {} }) },
    upstream as never,
    request,
  );
  expect(error).toBeUndefined();
  return { sent, body: body! };
}

describe.each(PROVIDERS)('names of tools at %s', (_, provider, accepted, reply) => {
  const isBinary = provider.wire === 'bedrock' || provider.wire === 'cohere';
  const cases = Object.entries(CALLERS).flatMap(([caller, call]) =>
    (isBinary ? [false] : [false, true]).map((stream) => [caller, stream, call] as const),
  );

  test.each(cases)(
    'are sent as it accepts them and come back as the caller wrote them: %s, streamed: %s',
    async (_caller, stream, call) => {
      for (const name of NAMES) {
        const request = call(name, stream);
        if (!provider.toolLimits && provider.wire === request.wire) continue;
        const { sent, body } = await roundTrip(provider, request, reply);
        const names = namesIn(sent).filter((each) => each !== 'plain');
        expect(new Set(names).size).toBe(1);
        expect(names[0]).toMatch(accepted);
        if (!name.match(accepted)) expect(body).not.toContain(JSON.stringify(names[0]));
        expect(body).toContain(`"name":${JSON.stringify(name)}`);
      }
    },
  );
});

test.each([false, true])(
  'names of tools come back in responses that pass through, streamed: %s',
  async (stream) => {
    const azure = providerOf('azure-openai');
    const provider = { ...azure, ...azure.responses!('account') };
    const { sent, body } = await roundTrip(provider, CALLERS.responses(LONG, stream), responsesReply);
    expect(new Set(namesIn(sent)).size).toBe(1);
    expect(namesIn(sent)[0]).toMatch(COMMON);
    expect(body.split(`"name":"${LONG}"`).length).toBeGreaterThan(2);
    expect(body).not.toContain(namesIn(sent)[0]);
  },
);

test('a namespace has one name in its declaration and in calls, which comes back too', async () => {
  const azure = providerOf('azure-openai');
  const provider = { ...azure, ...azure.responses!('account') };
  const request = CALLS.responses({
    tools: [
      { type: 'namespace', name: 'files.read', tools: [{ type: 'function', name: 'open', parameters }] },
    ],
    input: [
      USER,
      { type: 'function_call', call_id: 'c', namespace: 'files.read', name: 'open', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ],
  });
  const { tools, input } = receivedBy(provider, request);
  expect(tools[0].name).toMatch(COMMON);
  expect([input[1].namespace, input[1].name]).toEqual([tools[0].name, 'open']);
  const names = new OriginalNames(renamedTools(request, provider)!);
  expect(names.restore(Buffer.from(`{"namespace":"${tools[0].name}"}`)).toString()).toBe(
    '{"namespace":"files.read"}',
  );
});

/** Calls in which custom tools, and results in the older form, have the name in every place where the format has one. */
const CUSTOM_CALLERS = {
  chat: (name: string, choice: object, stream: boolean) =>
    CALLS.chat({
      stream,
      tools: [{ type: 'custom', custom: { name } }],
      tool_choice: choice,
      messages: [
        { ...USER, name: 'Ann Doe' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'custom', custom: { name, input: 'Rome' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'sunny' },
      ],
    }),
  responses: (name: string, choice: object, stream: boolean) =>
    CALLS.responses({
      stream,
      tools: [{ type: 'custom', name }],
      tool_choice: choice,
      input: [
        USER,
        { type: 'custom_tool_call', call_id: 'c', name, input: 'Rome' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'sunny' },
      ],
    }),
};

function customChatReply(name: string, stream: boolean): string {
  const call = { index: 0, id: 'x', type: 'custom', custom: { name, input: `"name":"${name}"` } };
  const choice = { index: 0, finish_reason: 'tool_calls' };
  if (stream)
    return sse(
      {
        id: 'r',
        choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] }, finish_reason: null }],
      },
      { id: 'r', choices: [{ ...choice, delta: {} }] },
      { id: 'r', choices: [], usage },
      'data: [DONE]\n\n',
    );
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  return JSON.stringify({ id: 'r', choices: [{ ...choice, message }], usage });
}

function customResponsesReply(name: string, stream: boolean): string {
  const item = {
    type: 'custom_tool_call',
    id: 'ctc_1',
    call_id: 'x',
    name,
    input: `"name":"${name}"`,
    status: 'completed',
  };
  return responseWith(item, { type: 'custom', name }, stream);
}

describe('names of custom tools in calls that pass through', () => {
  const azure = providerOf('azure-openai');
  const responding = { ...azure, ...azure.responses!('account') };
  const CHOICES = {
    chat: (name: string) => [
      { type: 'custom', custom: { name } },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'custom', custom: { name } }] },
      },
    ],
    responses: (name: string) => [
      { type: 'custom', name },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name }] },
    ],
  };
  const cases = (['chat', 'responses'] as const).flatMap((caller) =>
    [false, true].flatMap((stream) => [0, 1].map((choice) => [caller, stream, choice] as const)),
  );

  test.each(cases)(
    'are sent as OpenAI accepts them and come back as the caller wrote them: %s, streamed: %s, choice %s',
    async (caller, stream, at) => {
      for (const name of NAMES) {
        const request = CUSTOM_CALLERS[caller](name, CHOICES[caller](name)[at]!, stream);
        const { sent, body } =
          caller === 'chat'
            ? await roundTrip(azure, request, customChatReply)
            : await roundTrip(responding, request, customResponsesReply);
        const names = namesIn(sent).filter((each) => each !== 'Ann Doe');
        expect(names).toHaveLength(3);
        expect(new Set(names).size).toBe(1);
        expect(names[0]).toMatch(COMMON);
        expect(body).toContain(`"name":${JSON.stringify(name)}`);
        expect(body).toContain(JSON.stringify(`"name":"${names[0]}"`));
      }
    },
  );
});

test('the result of a function in the older form is named as its call, other names of participants stay', () => {
  const openAiItself = { ...providerOf('azure-openai'), lacksFunctions: false };
  const request = CALLS.chat({
    functions: [{ name: LONG, parameters }],
    function_call: { name: LONG },
    messages: [
      { ...USER, name: LONG },
      { role: 'assistant', content: null, function_call: { name: LONG, arguments: '{}' } },
      { role: 'function', name: LONG, content: 'sunny' },
    ],
  });
  const sent = receivedBy(openAiItself, request);
  const { name } = sent.functions[0];
  expect(name).toMatch(COMMON);
  expect(sent.function_call).toEqual({ name });
  expect(sent.messages).toEqual([
    { ...USER, name: LONG },
    { role: 'assistant', content: null, function_call: { name, arguments: '{}' } },
    { role: 'function', name, content: 'sunny' },
  ]);
});

test('the choice of a tool of a namespace has the name of its declaration', () => {
  const azure = providerOf('azure-openai');
  const provider = { ...azure, ...azure.responses!('account') };
  const open = { type: 'function', namespace: 'files.read', name: 'open' };
  const choices = [open, { type: 'allowed_tools', mode: 'auto', tools: [open] }];
  for (const tool_choice of choices) {
    const request = CALLS.responses({
      tools: [
        { type: 'namespace', name: 'files.read', tools: [{ type: 'function', name: 'open', parameters }] },
      ],
      tool_choice,
      input: [USER],
    });
    const { tools, tool_choice: sent } = receivedBy(provider, request);
    expect((sent.tools?.[0] ?? sent).namespace).toBe(tools[0].name);
  }
});

test('a call that passes through keeps its bytes if its names and ids are accepted', () => {
  const body =
    '{"model": "a/b",  "messages": [{"role":"user","content":"hi"}], "tools": [{"type":"function","function":{"name":"f-1"}}]}';
  const request = CALLS.chat(JSON.parse(body));
  const bytes = request.passThroughBody({
    upstreamModel: 'a/b',
    maxTokens: undefined,
    maxTokensField: 'max_tokens',
  });
  expect(fittedBody(bytes, request, providerOf('azure-openai'))).toBe(bytes);
});

test('compatible servers get the names of calls that pass through as they are', () => {
  expect(receivedBy(openAi, CALLERS.chat(LONG)).tools[0].function.name).toBe(LONG);
});

test('only the names of tools are restored, not the same words in a text or in arguments', () => {
  const names = new OriginalNames(new Map([['a.b', 'a_b_1234']]));
  const restored = (json: string) => names.restore(Buffer.from(json)).toString();
  expect(
    restored(
      '{"name": "a_b_1234","text":"call \\"name\\":\\"a_b_1234\\"","arguments":"{\\"name\\":\\"a_b_1234\\"}"}',
    ),
  ).toBe('{"name": "a.b","text":"call \\"name\\":\\"a_b_1234\\"","arguments":"{\\"name\\":\\"a_b_1234\\"}"}');
});

describe('ids of calls that pass through', () => {
  const FOREIGN = `functions.weather:0/${'x'.repeat(50)}`;
  const history = (id: string) =>
    CALLS.chat({
      messages: [
        USER,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: 'sunny' },
      ],
    });
  const idsAt = (provider: ChatProvider, request: CallerRequest) => {
    const { messages } = receivedBy(provider, request);
    return [messages[1].tool_calls[0].id, messages[2].tool_call_id];
  };

  test.each([
    ['OpenAI gets at most 40 characters', providerOf('azure-openai'), FOREIGN, /^.{1,40}$/],
    ['OpenAI gets any other id as it is', providerOf('azure-openai'), 'functions.f:0', /^functions\.f:0$/],
    ['Mistral gets nine letters and digits', providerOf('mistral'), 'call_abc', /^[a-zA-Z0-9]{9}$/],
    ['compatible servers get theirs back', openAi, FOREIGN, new RegExp(`^${FOREIGN}$`)],
  ])('%s', (_, provider, id, accepted) => {
    const [ofCall, ofResult] = idsAt(provider, history(id));
    expect(ofCall).toMatch(accepted);
    expect(ofResult).toBe(ofCall);
  });

  test('Anthropic gets its own characters, and long integers of inputs keep their digits', () => {
    const body = `{"model":"a/b","max_tokens":9,"messages":[{"role":"user","content":"Rome?"},{"role":"assistant","content":[{"type":"tool_use","id":"functions.f:0","name":"f","input":{"id":12345678901234567890}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions.f:0","content":"sunny"}]}]}`;
    const request = parseMessagesRequest(Buffer.from(body), {});
    const bytes = request.passThroughBody({
      upstreamModel: 'm',
      maxTokens: undefined,
      maxTokensField: 'max_tokens',
    });
    const sent = fittedBody(bytes, request, providerOf('anthropic')).toString();
    const { messages } = JSON.parse(sent);
    expect(messages[1].content[0].id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(messages[2].content[0].tool_use_id).toBe(messages[1].content[0].id);
    expect(sent).toContain('"id":12345678901234567890');
  });
});
