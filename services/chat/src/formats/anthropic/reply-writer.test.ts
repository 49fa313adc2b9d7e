import { describe, expect, test } from '@jest/globals';
import type { AssistantPart } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import { NO_USAGE } from '../../domain/usage';
import { writeMessage } from './reply-writer';

const identity = { requestId: 'r1', model: 'sim/chat', createdAtMs: 0 };
const usage = {
  ...NO_USAGE,
  input: 10,
  cache_read: 20,
  cache_write: 3,
  cache_write_1h: 4,
  output: 50,
  reasoning: 5,
  costNano: 1_500n,
};

const messageOf = (reply: Partial<Reply>) =>
  JSON.parse(writeMessage({ parts: [], stop: 'end', ...reply }, usage, identity).toString());
const contentOf = (...parts: AssistantPart[]) => messageOf({ parts }).content;
const call = (json: string, more = {}): AssistantPart => ({
  kind: 'tool_call',
  id: 'a',
  name: 'f',
  arguments: json,
  ...more,
});

test("a message matches the official SDK's types and has no `citations: null`, which Vercel's SDK rejects", () => {
  expect(messageOf({ parts: [{ kind: 'text', text: 'Hi "you"' }] })).toEqual({
    id: 'msg_r1',
    type: 'message',
    role: 'assistant',
    model: 'sim/chat',
    container: null,
    diagnostics: null,
    content: [{ type: 'text', text: 'Hi "you"' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 5 },
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: null,
      speed: null,
      cost: 0.0000015,
    },
  });
});

test('the matched stop sequence is reported', () => {
  expect(messageOf({ stop: 'stop_sequence', stopSequence: 'END' })).toMatchObject({
    stop_reason: 'stop_sequence',
    stop_sequence: 'END',
  });
});

test('empty text produces no block, because Anthropic rejects one in the next request', () => {
  expect(contentOf({ kind: 'text', text: '' })).toEqual([]);
});

describe('the input of a tool call', () => {
  test('is an object with its text unchanged', () => {
    const json = '{ "n": 12345678901234567890 }';
    const written = writeMessage({ parts: [call(json)], stop: 'tool_calls' }, usage, identity).toString();
    expect(written).toContain(`"input":${json},`);
    for (const none of ['', 'null']) expect(contentOf(call(none))[0].input).toEqual({});
  });

  test.each(['{"a":', '[1]', 'x'])('arguments that are not an object are wrapped: %s', (text) => {
    expect(contentOf(call(text))[0].input).toEqual({ INVALID_JSON: text });
  });
});

test('signatures are plain or name their provider', () => {
  const content = contentOf(
    { kind: 'thinking', text: 'a', signature: { wire: 'anthropic', value: 'A' } },
    { kind: 'thinking', text: 'b', signature: { wire: 'gemini', value: 'B' } },
    { kind: 'thinking', text: 'c' },
    { kind: 'redacted_thinking', data: { wire: 'openai', value: 'D' } },
    call('{}', { signature: { wire: 'gemini', value: 'E' } }),
  );
  expect(content).toMatchObject([
    { type: 'thinking', thinking: 'a', signature: 'A' },
    { type: 'thinking', thinking: 'b', signature: 'gw1.gemini.B' },
    { type: 'thinking', thinking: 'c', signature: 'gw1.openai.' },
    { type: 'redacted_thinking', data: 'gw1.openai.D' },
    { type: 'thinking', thinking: '', signature: 'gw1.gemini.~call~E' },
    { type: 'tool_use', id: 'a', name: 'f', input: {} },
  ]);
});
