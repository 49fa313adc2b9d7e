import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import type { ReplyEvent, StopReason } from '../../domain/reply';
import { NO_USAGE } from '../../domain/usage';
import { anthropicReplies } from './anthropic-replies';
import { readFrames, readMessage } from './testing/read-message';

const identity = { requestId: 'r1', model: 'sim/chat', createdAtMs: 0 };
const options = { includeUsage: true, estimatedInput: 7 };
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

/** All frames of a stream in which each list of events comes by itself. */
function streamOf(...pieces: ReplyEvent[][]): string {
  const writer = anthropicReplies.stream(identity, options);
  return pieces.map((events) => writer.write(events)).join('') + writer.end(usage);
}

const text = (said: string): ReplyEvent => ({ kind: 'text', text: said });
const called = (call: number, more = {}): ReplyEvent => ({
  kind: 'tool_call',
  call,
  id: `call_${call}`,
  name: `f${call}`,
  ...more,
});
const given = (call: number, json: string): ReplyEvent => ({ kind: 'tool_arguments', call, text: json });
const stop = (reason: StopReason): ReplyEvent => ({ kind: 'stop', stop: reason });

test('message_start reports the input tokens that the provider has reported, before any output', () => {
  const writer = anthropicReplies.stream(identity, options);
  const frames = readFrames(writer.write([text('He')], usage) + writer.end({ ...usage, input: 11 }));
  expect(frames[0]!.data).toMatchObject({
    message: { usage: { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 0 } },
  });
});

test('text is streamed as a start, deltas and a stop of its block', () => {
  const frames = readFrames(streamOf([text('He')], [text('llo "you"')], [stop('end')]));
  expect(frames.map(({ event }) => event)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  for (const { event, data } of frames) expect(data.type).toBe(event);
  expect(frames[0]!.data).toMatchObject({
    message: {
      id: 'msg_r1',
      type: 'message',
      role: 'assistant',
      model: 'sim/chat',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 7, output_tokens: 0 },
    },
  });
  expect(frames.at(-2)!.data).toEqual({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 20,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 5 },
      server_tool_use: null,
      cost: 0.0000015,
    },
  });
});

test('nothing is written before the first content', () => {
  const writer = anthropicReplies.stream(identity, options);
  expect(writer.write([])).toBe('');
  expect(writer.write([text('')])).toContain('message_start');
  expect(writer.write([])).toBe('');
});

test('every piece is written as it arrives', () => {
  const writer = anthropicReplies.stream(identity, options);
  writer.write([text('a')]);
  expect(readFrames(writer.write([text('b')]))).toEqual([
    {
      event: 'content_block_delta',
      data: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
    },
  ]);
  writer.write([called(0)]);
  expect(readFrames(writer.write([given(0, '{"a":')]))).toEqual([
    {
      event: 'content_block_delta',
      data: {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"a":' },
      },
    },
  ]);
});

test('an empty reply is a complete message', () => {
  expect(readMessage(streamOf())).toMatchObject({ content: [], stop_reason: 'end_turn' });
});

describe('thinking', () => {
  const thought = (said: string): ReplyEvent => ({ kind: 'thinking', text: said });
  const signed = (wire: 'openai' | 'anthropic' | 'gemini', value: string): ReplyEvent => ({
    kind: 'thinking_signature',
    signature: { wire, value },
  });

  test('is signed before its block ends', () => {
    const frames = readFrames(
      streamOf([thought('h')], [thought('m')], [signed('anthropic', 'SIG')], [text('x')]),
    );
    expect(frames.slice(1, 6).map(({ data }) => data)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'h' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'SIG' } },
      { type: 'content_block_stop', index: 0 },
    ]);
  });

  test("without a provider's signature gets a placeholder signature", () => {
    expect(readMessage(streamOf([thought('hm')], [text('x')])).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'gw1.openai.' },
      { type: 'text', text: 'x' },
    ]);
  });

  test('that is only a signature is kept and does not repeat message_start (litellm#38809, #32357)', () => {
    const stream = streamOf([signed('gemini', 'A')], [signed('gemini', 'B')], [thought('hm')], [text('x')]);
    expect(readMessage(stream).content).toEqual([
      { type: 'thinking', thinking: '', signature: 'gw1.gemini.A' },
      { type: 'thinking', thinking: '', signature: 'gw1.gemini.B' },
      { type: 'thinking', thinking: 'hm', signature: 'gw1.openai.' },
      { type: 'text', text: 'x' },
    ]);
    expect(readFrames(stream).filter(({ event }) => event === 'message_start')).toHaveLength(1);
  });

  test('that is empty and precedes text is omitted: clients read the first or the last block as the answer', () => {
    const hint = signed('gemini', 'text.A');
    for (const stream of [streamOf([hint], [text('x')]), streamOf([text('x')], [hint])]) {
      expect(readMessage(stream).content).toEqual([{ type: 'text', text: 'x' }]);
    }
    expect(readMessage(streamOf([signed('anthropic', 'A')], [text('x')])).content).toHaveLength(2);
  });

  test('that is redacted is passed on unchanged', () => {
    const data = { wire: 'anthropic', value: 'EmwK' } as const;
    expect(readMessage(streamOf([{ kind: 'redacted_thinking', data }], [text('x')])).content).toEqual([
      { type: 'redacted_thinking', data: 'EmwK' },
      { type: 'text', text: 'x' },
    ]);
  });
});

describe('tool calls', () => {
  const inputs = (stream: string) =>
    readMessage(stream).content.map((block) => [block.name, block.input] as const);

  test('keep all arguments, whether they arrive whole or in pieces (litellm#25321, #25836)', () => {
    expect(inputs(streamOf([called(0), given(0, '{"a":1}'), stop('tool_calls')]))).toEqual([
      ['f0', { a: 1 }],
    ]);
    expect(inputs(streamOf([called(0)], [given(0, '{"a"')], [given(0, ':1}')]))).toEqual([['f0', { a: 1 }]]);
    expect(inputs(streamOf([called(0)], [stop('tool_calls')]))).toEqual([['f0', {}]]);
    expect(inputs(streamOf([called(0)], [given(0, '')], [called(1), given(1, '{}')]))).toEqual([
      ['f0', {}],
      ['f1', {}],
    ]);
  });

  test('that arrive interleaved are written as separate consecutive blocks', () => {
    const stream = streamOf(
      [called(0), called(1)],
      [given(1, '{"b":"}')],
      [given(0, '{"a":"{')],
      [given(1, '"}')],
      [text('so')],
      [given(0, '\\""}')],
      [given(0, ' ')],
      [stop('tool_calls')],
    );
    const message = readMessage(stream);
    expect(message.content).toMatchObject([
      { type: 'tool_use', id: 'call_0', input: { a: '{"' } },
      { type: 'tool_use', id: 'call_1', input: { b: '}' } },
      { type: 'text', text: 'so' },
    ]);
    expect(message.stop_reason).toBe('tool_use');
  });

  test('that arrive whole do not delay what follows', () => {
    const writer = anthropicReplies.stream(identity, options);
    writer.write([called(0), given(0, '{"a":{}}')]);
    expect(writer.write([called(1)])).toContain('"name":"f1"');
    const cut = anthropicReplies.stream(identity, options);
    cut.write([called(0), given(0, '[{}]')]);
    expect(cut.write([called(1)])).toBe('');
  });

  test.each([
    [['[1', ',2]'], { INVALID_JSON: '[1,2]' }],
    [[' "x"'], { INVALID_JSON: ' "x"' }],
    [[' ', '{"a":1}'], { a: 1 }],
  ])('have an object as input: %j', (pieces, input) => {
    const events = pieces.map((text) => given(0, text));
    expect(readMessage(streamOf([called(0), ...events])).content[0]).toMatchObject({ input });
  });

  test('have the ids of their provider', () => {
    const stream = streamOf([called(0, { id: 'functions."f":0' })]);
    expect(readMessage(stream).content[0]!.id).toBe('functions."f":0');
  });

  test('are preceded by their signature', () => {
    const signature = { wire: 'gemini', value: 'SIG' } as const;
    expect(readMessage(streamOf([called(0, { signature }), given(0, '{}')])).content).toMatchObject([
      { type: 'thinking', thinking: '', signature: 'gw1.gemini.~call~SIG' },
      { type: 'tool_use', id: 'call_0' },
    ]);
  });

  test('that never started fail the stream', () => {
    expect(() => streamOf([given(3, '{}')])).toThrow('call 3');
  });
});

test.each([
  ['end', 'end_turn'],
  ['length', 'max_tokens'],
  ['stop_sequence', 'stop_sequence'],
  ['tool_calls', 'tool_use'],
  ['refusal', 'refusal'],
  ['context_full', 'model_context_window_exceeded'],
  ['pause', 'pause_turn'],
] as const)('%s is told as %s', (reason, told) => {
  const message = readMessage(streamOf([text('x')], [stop(reason)]));
  expect([message.stop_reason, message.stop_sequence]).toEqual([told, null]);
  expect(message.stop_details).toEqual(
    reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  );
});

test('the matched stop sequence is reported', () => {
  const stream = streamOf([text('x')], [{ kind: 'stop', stop: 'stop_sequence', stopSequence: '"END' }]);
  expect(readMessage(stream)).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: '"END' });
});

test('a stream that breaks ends with an error event', () => {
  const frames = readFrames(anthropicReplies.errorFrame(new GatewayError('upstream_failed'), identity));
  expect(frames).toEqual([
    {
      event: 'error',
      data: {
        type: 'error',
        error: expect.objectContaining({ type: 'upstream_error', code: 'upstream_failed' }),
      },
    },
  ]);
});

test("a stream is kept alive by the event of Anthropic's API", () => {
  const [event, data] = anthropicReplies.keepAlive!.split('\n');
  expect(event).toBe('event: ping');
  expect(JSON.parse(data!.replace('data: ', ''))).toEqual({ type: 'ping' });
});
