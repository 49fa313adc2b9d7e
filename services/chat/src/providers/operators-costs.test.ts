import { describe, expect, test } from '@jest/globals';
import { callThrough } from '../app/recorded-call.fixture';
import { CALLS, providerOf } from '../app/upstream-request.fixture';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { OPERATORS_COSTS } from '../domain/operators-costs';

const SECRETS = {
  cost: 0.777,
  cost_details: { upstream_inference_cost: 0.777 },
  is_byok: false,
  cost_in_usd_ticks: 777,
  estimated_cost: 0.777,
  total_cost: 0.777,
  market_cost: '0.777',
  provider_metadata: { gateway: { cost: '0.777' } },
};
const NAMES =
  /cost_details|upstream_inference_cost|is_byok|ticks|estimated_cost|total_cost|market_cost|provider_metadata|777/;

async function* bodyOf(bytes: string): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes);
}

async function receive(provider: ChatProvider, request: CallerRequest, body: string): Promise<string> {
  const upstream = { send: async () => ({ status: 200, headers: {}, body: bodyOf(body) }) };
  const { body: received, error } = await callThrough(provider, upstream, request);
  expect(error).toBeUndefined();
  return received!;
}

const frames = (...data: readonly object[]) =>
  data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
const USER = { role: 'user', content: 'Hi' };
const openAi = providerOf('openai');
const { responses, ...azure } = providerOf('azure-openai');
const figures = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const usage = { ...figures, ...SECRETS };
const running = { id: 'c1', object: 'chat.completion.chunk', model: 'm' };
const called = (args: string) => ({
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'f', arguments: args },
});
const continued = { index: 0, function: { arguments: ':1}' } };
const chat = { id: 'c1', object: 'chat.completion', model: 'm', ...SECRETS };
const said = { role: 'assistant', content: 'Blue.', provider_metadata: SECRETS.provider_metadata };
const completion = JSON.stringify({
  ...chat,
  choices: [{ index: 0, message: said, finish_reason: 'stop' }],
  usage,
});
const chunks = `${frames(
  { ...chat, choices: [{ index: 0, delta: said, finish_reason: null }] },
  { ...chat, choices: [{ index: 0, delta: { tool_calls: [called('{"q"')] }, finish_reason: null }] },
  { ...running, choices: [{ index: 0, delta: { tool_calls: [continued] }, finish_reason: null }], usage },
  {
    ...running,
    choices: [{ index: 0, delta: {}, finish_reason: null }],
    usage: { ...figures, total_cost: 0.777 },
  },
  { ...chat, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage },
  { ...chat, choices: [], usage },
)}data: [DONE]\n\n`;
const messageUsage = { input_tokens: 9, output_tokens: 2, ...SECRETS };
const message = {
  ...{ id: 'm1', type: 'message', role: 'assistant', model: 'm' },
  ...{ content: [{ type: 'text', text: 'Blue.' }], stop_reason: 'end_turn', usage: messageUsage, ...SECRETS },
};
const events = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Blue.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: messageUsage, ...SECRETS },
  { type: 'message_stop' },
];
const named = events.map((event) => `event: ${event.type}\n${frames(event)}`).join('');
const output = [
  { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Blue.' }] },
];
const response = {
  id: 'r1',
  object: 'response',
  status: 'completed',
  output,
  usage: messageUsage,
  ...SECRETS,
};
const responseEvents = frames(
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'Blue.' },
  { type: 'response.completed', response },
);

const contents = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Blue.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11, ...SECRETS },
  ...SECRETS,
};

describe('what the operator pays is not in', () => {
  const withUsage = { stream: true, stream_options: { include_usage: true } };
  test.each<[string, ChatProvider, CallerRequest, string]>([
    ['a chat completion', openAi, CALLS.chat({ messages: [USER] }), completion],
    ['a stream of chunks with usage', openAi, CALLS.chat({ messages: [USER], ...withUsage }), chunks],
    ['a stream of chunks without usage', openAi, CALLS.chat({ messages: [USER], stream: true }), chunks],
    ['a message', providerOf('anthropic'), CALLS.messages({ messages: [USER] }), JSON.stringify(message)],
    [
      'a stream of a message',
      providerOf('anthropic'),
      CALLS.messages({ messages: [USER], stream: true }),
      named,
    ],
    [
      'a response',
      { ...azure, ...responses!('acct') },
      CALLS.responses({ input: 'Hi' }),
      JSON.stringify(response),
    ],
    [
      'a stream of a response',
      { ...azure, ...responses!('acct') },
      CALLS.responses({ input: 'Hi', stream: true }),
      responseEvents,
    ],
    [
      'a reply of Google’s format',
      providerOf('gemini'),
      CALLS.generateContent(contents),
      JSON.stringify(generated),
    ],
    [
      'a stream of Google’s format',
      providerOf('gemini'),
      CALLS.generateContent(contents, true),
      frames(generated),
    ],
    ['a translated message', openAi, CALLS.messages({ messages: [USER] }), completion],
    ['a translated stream', openAi, CALLS.messages({ messages: [USER], stream: true }), chunks],
    ['a translated response', openAi, CALLS.responses({ input: 'Hi', stream: true }), chunks],
  ])('%s', async (_what, provider, request, body) => {
    const received = await receive(provider, request, body);
    expect(received).toContain('Blue.');
    expect(NAMES.exec(received)?.[0]).toBeUndefined();
    if (request.wire !== 'gemini' && (request.includeUsage || !request.stream))
      expect(received).toContain('"cost":0.00000004');
  });
});

test.each(OPERATORS_COSTS)(
  '%s alone, in a chunk without usage, does not reach the caller',
  async (member) => {
    const secret = { [member]: 0.777 };
    const choice = (delta: object) => [{ index: 0, delta, finish_reason: null }];
    const stream = frames(
      { ...running, choices: choice({ content: 'Blue.' }), ...secret },
      { ...running, choices: choice({ content: ' Red.', ...secret }) },
      { ...running, choices: choice({ tool_calls: [called('{"q"')] }), ...secret },
      { ...running, choices: choice({ tool_calls: [continued] }), ...secret },
      { ...running, choices: [{ ...choice({})[0], finish_reason: 'tool_calls' }], ...secret },
      { ...running, choices: [], ...secret },
    );
    const request = CALLS.chat({ messages: [USER], stream: true });
    const received = await receive(openAi, request, `${stream}data: [DONE]\n\n`);
    expect(received).toContain('Blue.');
    expect([received.includes(member), received.includes('777')]).toEqual([false, false]);
  },
);
