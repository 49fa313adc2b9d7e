import { Quota } from '@gateway/quota';
import { membersOf } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import { connectAsOpenAi } from '../providers/connect-provider';
import { callThrough } from './recorded-call.fixture';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const parameters = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };
const FUNCTIONS = [
  { name: 'weather', description: 'Current weather', parameters },
  { name: 'tides', parameters },
];
const USER = { role: 'user', content: 'Weather in Rome?' };
const HISTORY = [
  USER,
  { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"at":"Rome"}' } },
  { role: 'function', name: 'weather', content: 'sunny' },
];
const legacyCall = (more: object = {}) => CALLS.chat({ functions: FUNCTIONS, messages: HISTORY, ...more });

const OPENAI = connectAsOpenAi(
  { id: 'openai', baseUrl: 'https://api.openai.com/v1', apiKey: 'k' },
  new Quota({ limit: 1_000_000 }),
);
/** Providers of OpenAI's format that don't have the older form. */
const COMPATIBLE: readonly [string, ChatProvider][] = [
  ...(['mistral', 'deepseek', 'xai'] as const).map((kind): [string, ChatProvider] => [
    kind,
    providerOf(kind),
  ]),
  ['a compatible server', providerOf('openai')],
  ['azure', providerOf('azure-openai', { api_version: 'v1' })],
];

test('OpenAI gets functions as they are', () => {
  const body = receivedBy(OPENAI, legacyCall({ function_call: { name: 'weather' } }));
  expect(body).toMatchObject({
    functions: FUNCTIONS,
    function_call: { name: 'weather' },
    messages: HISTORY,
  });
  expect(body).not.toHaveProperty('tools');
});

describe.each(COMPATIBLE)('%s gets tools in place of functions', (_kind, provider) => {
  test('in the declarations, the calls and the results', () => {
    const body = receivedBy(provider, legacyCall(), ['tools']);
    expect(body.tools).toMatchObject(
      FUNCTIONS.map(({ name }) => ({ type: 'function', function: { name, parameters } })),
    );
    const [, assistant, result] = body.messages;
    expect(assistant.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'weather', arguments: '{"at":"Rome"}' } },
    ]);
    expect(result).toMatchObject({
      role: 'tool',
      tool_call_id: assistant.tool_calls[0].id,
      content: 'sunny',
    });
    expect(JSON.stringify(body)).not.toMatch(/"function_call"|"functions"|"role":"function"/);
  });

  test.each([
    ['none', 'none'],
    [{ name: 'tides' }, { type: 'function', function: { name: 'tides' } }],
  ])('with the choice %j', (function_call, choice) =>
    expect(receivedBy(provider, legacyCall({ function_call }), ['tools']).tool_choice).toEqual(choice),
  );

  test('with the default choice for auto', () =>
    expect([undefined, 'auto']).toContain(
      receivedBy(provider, legacyCall({ function_call: 'auto' }), ['tools']).tool_choice,
    ));

  test.each<[string, object]>([
    ['a history of functions', { functions: undefined }],
    ['an empty list', { functions: [], messages: [USER] }],
    ['a choice without functions', { functions: undefined, function_call: 'none', messages: [USER] }],
  ])('for a call with only %s', (_what, more) =>
    expect(JSON.stringify(receivedBy(provider, legacyCall(more), ['tools']))).not.toMatch(
      /"function_call"|"functions"|"role":"function"/,
    ),
  );
});

test('members that are null are not the older form', () => {
  const messages = [USER, { role: 'assistant', content: 'Sunny.', function_call: null }, USER];
  const body = receivedBy(
    providerOf('openai'),
    CALLS.chat({ logit_bias: { 5: 1 }, functions: null, function_call: null, messages }),
  );
  expect(body.logit_bias).toEqual({ 5: 1 });
});

test('arguments that are an object are not lost', () => {
  const called = {
    role: 'assistant',
    content: null,
    function_call: { name: 'weather', arguments: { at: 'Rome' } },
  };
  const [, assistant] = receivedBy(
    providerOf('openai'),
    legacyCall({ messages: [USER, called, HISTORY[2]] }),
  ).messages;
  expect(assistant.tool_calls[0].function.arguments).toBe('{"at":"Rome"}');
});

test('OpenAI gets functions without alternatives at the root of their parameters', () => {
  const either = { anyOf: [parameters, { type: 'object', properties: { id: { type: 'string' } } }] };
  const { functions } = receivedBy(
    OPENAI,
    legacyCall({ functions: [{ name: 'weather', parameters: either }] }),
  );
  expect(functions[0].parameters).toMatchObject({ type: 'object' });
  expect(functions[0].parameters).not.toHaveProperty('anyOf');
});

test('other formats get the calls, the results and the choice', () => {
  const forced = { function_call: { name: 'tides' } };
  expect(receivedBy(providerOf('anthropic'), legacyCall(forced), ['tools'])).toMatchObject({
    tools: [{ name: 'weather' }, { name: 'tides' }],
    tool_choice: { type: 'tool', name: 'tides', disable_parallel_tool_use: true },
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { at: 'Rome' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
    ],
  });
  expect(receivedBy(providerOf('gemini'), legacyCall(forced), ['tools'])).toMatchObject({
    tools: [{ functionDeclarations: [{ name: 'weather' }, { name: 'tides' }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['tides'] } },
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { at: 'Rome' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather' } }] },
    ],
  });
  expect(receivedBy(providerOf('cohere'), legacyCall(), ['tools'])).toMatchObject({
    tools: [{ function: { name: 'weather' } }, { function: { name: 'tides' } }],
    messages: [USER, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', tool_call_id: 'call_1' }],
  });
  expect(
    receivedBy(providerOf('bedrock', { region: 'us-east-1' }), legacyCall(forced), ['tools']),
  ).toMatchObject({
    toolConfig: {
      tools: [{ toolSpec: { name: 'weather' } }, { toolSpec: { name: 'tides' } }],
      toolChoice: { tool: { name: 'tides' } },
    },
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'call_1', name: 'weather', input: { at: 'Rome' } } }],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'call_1' } }] },
    ],
  });
});

const CALL = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'weather', arguments: '{"at":"Rome"}' },
};
const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
const frames = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const completion = (choice: object) => ({
  id: 'x',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, ...choice }],
  usage,
});
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const asTools = (stream: boolean) =>
  stream
    ? `${frames(chunk({ role: 'assistant', content: null, tool_calls: [CALL] }), chunk({}, 'tool_calls'), { ...chunk({}), choices: [], usage })}data: [DONE]\n\n`
    : JSON.stringify(
        completion({
          message: { role: 'assistant', content: null, tool_calls: [CALL] },
          finish_reason: 'tool_calls',
        }),
      );
const asFunctions = (stream: boolean) =>
  stream
    ? `${frames(chunk({ role: 'assistant', content: null, function_call: { name: 'weather', arguments: '' } }), chunk({ function_call: { arguments: '{"at":"Rome"}' } }), chunk({}, 'function_call'), { ...chunk({}), choices: [], usage })}data: [DONE]\n\n`
    : JSON.stringify(
        completion({
          message: { role: 'assistant', content: null, function_call: CALL.function },
          finish_reason: 'function_call',
        }),
      );
const asAnthropic = (stream: boolean) => {
  const use = { type: 'tool_use', id: 'c1', name: 'weather' };
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    usage: { input_tokens: 5, output_tokens: 5 },
  };
  if (!stream)
    return JSON.stringify({
      ...message,
      content: [{ ...use, input: { at: 'Rome' } }],
      stop_reason: 'tool_use',
    });
  const events = [
    { type: 'message_start', message: { ...message, content: [] } },
    { type: 'content_block_start', index: 0, content_block: { ...use, input: {} } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"at":"Rome"}' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\n${frames(event)}`).join('');
};
const asGoogle = (stream: boolean) => {
  const reply = {
    candidates: [
      {
        content: { role: 'model', parts: [{ functionCall: { name: 'weather', args: { at: 'Rome' } } }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
  };
  return stream ? frames(reply) : JSON.stringify(reply);
};

const REPLIES: readonly [string, ChatProvider, (stream: boolean) => string][] = [
  ['OpenAI', OPENAI, asFunctions],
  ...COMPATIBLE.map(([kind, provider]): [string, ChatProvider, typeof asTools] => [kind, provider, asTools]),
  ['anthropic', providerOf('anthropic'), asAnthropic],
  ['gemini', providerOf('gemini'), asGoogle],
];

test.each(
  REPLIES.flatMap((each) => [true, false].map((stream) => [stream ? 'streamed' : 'whole', ...each] as const)),
)('%s: a caller with functions gets a function_call from %s', async (form, _kind, provider, replyOf) => {
  const stream = form === 'streamed';
  const upstream = {
    send: async () => ({ status: 200, headers: {}, body: once(Buffer.from(replyOf(stream))) }),
  };
  const { body, error } = await callThrough(provider, upstream, legacyCall({ stream }), ['tools']);
  expect(error).toBeUndefined();
  expect(body).not.toContain('tool_calls');
  const choices = stream
    ? body!
        .split('\n\n')
        .filter((line) => line.startsWith('data: {'))
        .flatMap((line) => JSON.parse(line.slice(6)).choices)
    : JSON.parse(body!).choices;
  const pieces = choices.map((choice: object) => {
    const { delta, message } = membersOf(choice);
    return membersOf(membersOf(delta ?? message).function_call);
  });
  expect(pieces.map(({ name }: { name?: string }) => name ?? '').join('')).toBe('weather');
  expect(pieces.map((piece: { arguments?: string }) => piece.arguments ?? '').join('')).toBe('{"at":"Rome"}');
  expect(choices.at(-1).finish_reason).toBe('function_call');
});

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
