import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Conversation } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import { NO_USAGE } from '../../domain/usage';
import { readMessage } from '../../providers/anthropic/read-message';
import { writeRequest as writeAnthropicRequest } from '../../providers/anthropic/write-request';
import { geminiProvider } from '../../providers/gemini/gemini-provider';
import { CALLS, TEXT_CHUNKS } from '../../providers/gemini/responses.fixture';
import { QUIRKS } from '../../providers/openai/quirks';
import { ChunkReader } from '../../providers/openai/read-chunks';
import { writeRequest } from '../../providers/openai/write-request';
import { anthropicReplies } from '../anthropic/anthropic-replies';
import { parseMessagesRequest } from '../anthropic/messages-request';
import { parseChatRequest } from './chat-request';
import { openAiReplies } from './openai-replies';

const NO_COST = { ...NO_USAGE, costNano: 0n };

const identity = { requestId: 'r-1', model: 'a/b', createdAtMs: 0 };
const tools = [
  { type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } },
];
const user = { role: 'user', content: 'hi' };

/** The next call of a client that got the reply and answers each of its tool calls. */
function nextCall(reply: Reply): Conversation {
  const written = JSON.parse(openAiReplies.write(reply, NO_COST, identity).toString());
  const { message } = written.choices[0];
  const results = (message.tool_calls ?? []).map((call: { id: string }) => ({
    role: 'tool',
    tool_call_id: call.id,
    content: 'found',
  }));
  const messages = [user, message, ...(results.length > 0 ? results : [user])];
  const body = { model: 'a/b', messages, tools, reasoning_effort: 'high' };
  return parseChatRequest(Buffer.from(JSON.stringify(body))).conversation();
}

test('Anthropic receives its thinking back with its signatures', () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'S' },
    { type: 'redacted_thinking', data: 'D' },
    { type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'toolu_1', name: 'find', input: { q: 'x' } },
  ];
  const next = nextCall(readMessage({ content, stop_reason: 'tool_use' }));
  const capabilities = new Set(['reasoning', 'adaptive_thinking']);
  const { messages } = JSON.parse(writeAnthropicRequest(next, 'up', 9_000, capabilities).toString());
  expect(messages[1].content).toEqual(content);
});

describe('Gemini receives its signatures back', () => {
  const provider = geminiProvider({ id: 'google', baseUrl: 'https://example.com', apiKey: 'k' });
  const sentAgain = (reply: Reply) => {
    const body = provider.writeRequest(nextCall(reply), 'gemini-3-pro', 9_000, new Set(['reasoning']));
    return JSON.parse(body.toString()).contents[1].parts;
  };

  test('on the call that they signed', () => {
    const [first, second] = sentAgain(provider.readReply(CALLS));
    expect(first).toMatchObject({ functionCall: { name: 'find' }, thoughtSignature: 'Zmlyc3Q=' });
    expect(second).not.toMatchObject({ thoughtSignature: 'Zmlyc3Q=' });
  });

  test('also signatures of plain text', () => {
    expect(JSON.stringify(sentAgain(provider.readReply(TEXT_CHUNKS[2])))).toContain('c2lnbmVk');
  });
});

test("DeepSeek receives its thinking back from callers in Anthropic's format", () => {
  const reader = new ChunkReader(() => NO_USAGE);
  const delta = (fields: object) =>
    Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: fields }] })}\n\n`);
  const call = { index: 0, id: 'call_1', function: { name: 'find', arguments: '{"q":"x"}' } };
  const events = [
    delta({ reasoning_content: 'hm' }),
    delta({ tool_calls: [call] }),
    Buffer.from('data: [DONE]\n\n'),
  ];
  const writer = anthropicReplies.stream(identity, { includeUsage: true, estimatedInput: 1 });
  for (const event of events) writer.write(reader.read(event));
  const reply: Reply = {
    parts: [
      { kind: 'thinking', text: 'hm' },
      { kind: 'tool_call', id: 'call_1', name: 'find', arguments: '{"q":"x"}' },
    ],
    stop: 'tool_calls',
  };
  const { content } = JSON.parse(anthropicReplies.write(reply, NO_COST, identity).toString());
  const messages = [
    user,
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'found' }] },
  ];
  const body = Buffer.from(JSON.stringify({ model: 'a/b', max_tokens: 9, messages }));
  const next = parseMessagesRequest(body, {}).conversation();
  const sent = JSON.parse(writeRequest(next, 'up', 9, new Set(), QUIRKS.deepseek).toString());
  expect(sent.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'found' },
  ]);
});

test('any request is either translated or rejected', () => {
  const noise = fc.anything({ maxDepth: 2 });
  /** Mostly what belongs there. */
  const or = (...right: unknown[]) =>
    fc.oneof({ weight: 80, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: noise });
  const part = fc.record(
    {
      type: or('text', 'image_url', 'input_audio', 'file', 'refusal'),
      text: or('x'),
      refusal: or('x'),
      image_url: or({ url: 'https://example.com/y' }, { url: 'data:image/png;base64,AA', detail: 1 }),
      input_audio: or({ data: 'AA', format: 'wav' }),
      file: or({ file_data: 'JVBERi0' }, { file_data: 'data:text/plain;base64,AA' }),
      cache_control: or({ type: 'ephemeral' }),
    },
    { requiredKeys: ['type', 'text', 'refusal', 'image_url', 'input_audio', 'file'] },
  );
  const call = fc.record(
    {
      id: or('a', 'b'),
      type: or('function'),
      function: or({ name: 'f', arguments: '{}' }, { name: 'f', arguments: '' }),
      extra_content: or({ google: { thought_signature: 'S' } }, { google: null }),
    },
    { requiredKeys: ['id', 'type', 'function'] },
  );
  const message = fc.record(
    {
      role: or('system', 'developer', 'user', 'user', 'assistant', 'assistant', 'tool', 'function'),
      content: fc.oneof(or('x'), fc.array(part, { maxLength: 2 })),
      tool_calls: fc.array(call, { maxLength: 2 }),
      tool_call_id: or('a'),
      function_call: or({ name: 'f', arguments: '{}' }, null),
      refusal: or('x', null),
      reasoning_content: or('x', null),
      reasoning_details: fc.oneof(
        or(null),
        fc.array(or({ text: 'x', index: 0 }, { data: 'x' }), { maxLength: 3 }),
      ),
      audio: or(null),
      cache_control: or({ type: 'ephemeral' }),
    },
    { requiredKeys: ['role', 'content'] },
  );
  const tool = or({ type: 'function', function: { name: 'f' } });
  const request = fc.record(
    {
      model: fc.constant('a/b'),
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
      tools: fc.array(tool, { maxLength: 2 }),
      functions: fc.array(or({ name: 'g' }), { maxLength: 1 }),
      tool_choice: or(
        'auto',
        'required',
        { type: 'function', function: { name: 'f' } },
        { type: 'allowed_tools' },
      ),
      response_format: or({ type: 'json_schema', json_schema: { schema: {} } }, { type: 'json_schema' }),
      metadata: or({ user_id: 'u' }),
      stop: or('x', ['x'], null),
      logit_bias: or({}),
      service_tier: or('auto'),
    },
    { requiredKeys: ['model', 'messages'] },
  );
  let understood = 0;
  fc.assert(
    fc.property(request, (body) => {
      try {
        parseChatRequest(Buffer.from(JSON.stringify(body))).conversation();
        understood++;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
    }),
    { numRuns: 500 },
  );
  expect(understood).toBeGreaterThan(10);
});
