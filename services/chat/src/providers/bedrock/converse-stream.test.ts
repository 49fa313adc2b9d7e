import { describe, expect, test } from '@jest/globals';
import type { ReplyEvent } from '../../domain/reply';
import { ConverseStream } from './converse-stream';

const eventOf = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const delta = (index: number, value: object) => ({
  contentBlockDelta: { contentBlockIndex: index, delta: value },
});
const call = (index: number, toolUse: object) => ({
  contentBlockStart: { contentBlockIndex: index, start: { toolUse } },
});
const stop = (stopReason: string) => ({ messageStop: { stopReason } });
const METADATA = { metadata: { usage: { inputTokens: 2, outputTokens: 1 } } };

function read(...events: object[]): { events: ReplyEvent[]; stream: ConverseStream } {
  const stream = new ConverseStream();
  return { events: events.flatMap((each) => [...stream.read(eventOf(each))]), stream };
}

test('a stream is complete with its stop and its metadata, in either order', () => {
  expect(read(stop('end_turn')).stream.ended).toBe(false);
  expect(read(METADATA).stream.ended).toBe(false);
  for (const events of [
    [stop('end_turn'), METADATA],
    [METADATA, stop('end_turn')],
  ]) {
    const { stream } = read(...events);
    expect(stream.ended).toBe(true);
    expect(stream.usage).toMatchObject({ input: 2, output: 1 });
  }
});

test('a stream that ends after its stop, without metadata, is complete, and one without a stop is not', () => {
  const { stream } = read(stop('end_turn'));
  stream.end();
  expect([stream.ended, stream.usage]).toEqual([true, undefined]);
  const cut = read(METADATA).stream;
  cut.end();
  expect(cut.ended).toBe(false);
  const failed = read(stop('malformed_tool_use')).stream;
  expect(() => failed.end()).toThrow('malformed_tool_use');
});

test('a call in a reply that ends its turn is reported as the reason for the stop', () =>
  expect(read(call(0, { toolUseId: 'i', name: 'f' }), stop('end_turn')).events).toEqual([
    { kind: 'tool_call', call: 0, id: 'i', name: 'f' },
    { kind: 'tool_arguments', call: 0, text: '{}' },
    { kind: 'stop', stop: 'tool_calls' },
  ]));

test('pieces of parallel calls may alternate', () =>
  expect(
    read(
      call(1, { toolUseId: 'a', name: 'f' }),
      call(2, { toolUseId: 'b', name: 'g' }),
      delta(2, { toolUse: { input: '{"x"' } }),
      delta(1, { toolUse: { input: '{}' } }),
      delta(2, { toolUse: { input: ':1}' } }),
    ).events.slice(2),
  ).toEqual([
    { kind: 'tool_arguments', call: 1, text: '{"x"' },
    { kind: 'tool_arguments', call: 0, text: '{}' },
    { kind: 'tool_arguments', call: 1, text: ':1}' },
  ]));

test('a signature without text is kept', () =>
  expect(
    read(delta(0, { reasoningContent: { signature: 'S' } }), { contentBlockStop: { contentBlockIndex: 0 } })
      .events,
  ).toEqual([{ kind: 'thinking_signature', signature: { wire: 'bedrock', value: 'S' } }]));

test('what a block collects is emitted when the message stops without the end of the block', () =>
  expect(
    read(delta(0, { reasoningContent: { redactedContent: 'AA==' } }), stop('max_tokens')).events,
  ).toEqual([
    { kind: 'redacted_thinking', data: { wire: 'bedrock', value: 'AA==' } },
    { kind: 'stop', stop: 'length' },
  ]));

test('comments, unknown events and deltas of other kinds add nothing', () => {
  const { stream, events } = read({ somethingNew: { text: 'x' } }, delta(0, { citation: { title: 't' } }), {
    contentBlockStop: { contentBlockIndex: 9 },
  });
  expect(events).toEqual([]);
  expect(stream.read(Buffer.from(': ping\n\n'))).toEqual([]);
});

describe('a stream fails', () => {
  test.each<[string, object]>([
    ['input of a call that has not started', delta(0, { toolUse: { input: '{' } })],
    ['a call without a name', call(0, { toolUseId: 'i' })],
    ['a stop without a reason', { messageStop: {} }],
    ['an exception', { error: { type: 'throttlingException' }, message: 'the words' }],
  ])('for %s', (_what, event) => expect(() => read(event)).toThrow());

  test('for malformed output, once its usage has been read', () => {
    const { stream } = read(stop('malformed_model_output'));
    expect(stream.ended).toBe(false);
    expect(() => stream.read(eventOf(METADATA))).toThrow('malformed_model_output');
    expect(stream.usage).toMatchObject({ input: 2, output: 1 });
  });

  test('for an event that is not JSON', () =>
    expect(() => new ConverseStream().read(Buffer.from('event: metadata\ndata: {"metadata":<}\n\n'))).toThrow(
      'not a JSON object',
    ));

  test('with the type of the exception, and without its message, which may quote the call', () => {
    const thrown = () => read({ error: { type: 'throttlingException', status: 429 }, message: 'the words' });
    expect(thrown).toThrow('provider sent an exception: throttlingException');
    expect(() => read({ error: { type: 'the words\n' }, message: '' })).toThrow('exception: unknown');
  });
});
