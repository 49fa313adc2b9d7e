import { SseSplitter } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ReplyEvent, ReplyPart } from '../../domain/reply';
import { MessageEvents } from './message-events';
import {
  begin,
  end,
  frame,
  json,
  over,
  STREAMS,
  signature,
  started,
  stopped,
  text,
} from './message-streams.fixture';
import { ownSignature, readMessage } from './read-message';

const signed = (value: string) => ({ kind: 'thinking_signature', signature: ownSignature(value) });

function readAll(frames: readonly Buffer[]) {
  const reader = new MessageEvents();
  const events = frames.flatMap((event) => reader.read(event));
  return { events, usage: reader.usage, ended: reader.ended };
}

describe('a stream yields', () => {
  const said = (name: keyof typeof STREAMS) => readAll(STREAMS[name]).events;

  test('text', () =>
    expect(said('text')).toEqual([
      { kind: 'text', text: 'Paris is' },
      { kind: 'text', text: ' the capital of France – naturellement.' },
      { kind: 'stop', stop: 'end' },
    ]));

  test('thinking, with its signature at the end', () =>
    expect(said('thinking')).toEqual([
      { kind: 'thinking', text: 'Two and two' },
      { kind: 'thinking', text: ' make four.' },
      signed('EqQBCgIYAhIMZmlyc3Q='),
      { kind: 'text', text: 'Fo' },
      { kind: 'text', text: 'ur.' },
      { kind: 'stop', stop: 'end' },
    ]));

  test('thinking that is only a signature, or redacted', () =>
    expect(said('omittedThinking')).toEqual([
      signed('EqQBCgIYAhIMZmlyc3Q='),
      { kind: 'redacted_thinking', data: ownSignature('EmwKAhgBEgxoaWRkZW4=') },
      { kind: 'text', text: 'Four.' },
      { kind: 'stop', stop: 'end' },
    ]));

  test('parallel tool calls: in pieces, without input, and whole from the start', () =>
    expect(said('parallelTools')).toEqual([
      { kind: 'text', text: 'Let me look.' },
      { kind: 'tool_call', call: 0, id: 'toolu_01AaBbCcDdEeFfGgHhIiJjKk', name: 'get_weather' },
      { kind: 'tool_arguments', call: 0, text: '{"city": "Zür' },
      { kind: 'tool_arguments', call: 0, text: 'ich"}' },
      { kind: 'tool_call', call: 1, id: 'toolu_01LlMmNnOoPpQqRrSsTtUuVv', name: 'get_time' },
      { kind: 'tool_arguments', call: 1, text: '{}' },
      { kind: 'tool_call', call: 2, id: 'toolu_01WwXxYyZzAaBbCcDdEeFfGg', name: 'get_news' },
      { kind: 'tool_arguments', call: 2, text: '{"topic":"sea"}' },
      { kind: 'stop', stop: 'tool_calls' },
    ]));

  test('a search of the web with its results, and the pages that a text cites', () =>
    expect(said('serverTool')).toEqual([
      {
        kind: 'web_search',
        id: 'srvtoolu_01AaBbCcDdEeFf',
        query: 'color of the sea',
        results: [{ url: 'https://sea.example/', title: 'The sea' }],
      },
      { kind: 'text', text: 'Blue.' },
      {
        kind: 'citation',
        citation: {
          ...{ url: 'https://sea.example/', title: 'The sea', cited: 'Blue.' },
          quote: 'The sea is blue.',
        },
      },
      { kind: 'stop', stop: 'pause' },
    ]));

  test('a refusal', () => expect(said('refusal').at(-1)).toEqual({ kind: 'stop', stop: 'refusal' }));

  test('the matched stop sequence', () =>
    expect(said('cached').at(-1)).toEqual({ kind: 'stop', stop: 'stop_sequence', stopSequence: 'three' }));
});

test.each([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'context_full'],
  ['a_reason_of_tomorrow', 'end'],
])('stop reason %s', (reason, stop) =>
  expect(readAll([started(), stopped(reason), over]).events).toEqual([{ kind: 'stop', stop }]),
);

test('usage: later figures replace earlier ones, cached tokens are counted once', () => {
  expect(readAll(STREAMS.cached).usage).toEqual({
    input: 7,
    cache_read: 1000,
    cache_write: 200,
    cache_write_1h: 100,
    output: 40,
    reasoning: 30,
  });
  expect(readAll(STREAMS.cached.slice(0, 3)).usage).toMatchObject({ input: 7, output: 2 });
});

test('the arguments of a call whose block was not closed', () =>
  expect(
    readAll([started(), begin(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }), stopped('tool_use')])
      .events,
  ).toEqual([
    { kind: 'tool_call', call: 0, id: 'a', name: 'f' },
    { kind: 'tool_arguments', call: 0, text: '{}' },
    { kind: 'stop', stop: 'tool_calls' },
  ]));

test('nothing for a delta of another block type', () =>
  expect(
    readAll([started(), begin(0, { type: 'server_tool_use', id: 's', name: 'web_search' }), text(0, 'x')])
      .events,
  ).toEqual([]));

test('one stop', () =>
  expect(readAll([started(), stopped('end_turn'), stopped('end_turn'), over]).events).toHaveLength(1));

describe('a failing stream throws at', () => {
  const reading =
    (...frames: Buffer[]) =>
    () =>
      readAll([started(), ...frames]);

  test('an error event, without its text', () =>
    expect(reading(frame('error', { error: { type: 'overloaded_error', message: 'secret' } }))).toThrow(
      /^provider sent an error event: overloaded_error$/,
    ));

  test('an error event whose type is not a string', () =>
    expect(reading(frame('error', { error: { type: 'Some secret' } }))).toThrow(/event: unknown$/));

  test('invalid JSON', () => expect(reading(Buffer.from('data: {"type":\n\n'))).toThrow('not a JSON object'));
  test('a delta without its block', () => expect(reading(text(0, 'x'))).toThrow('has not started'));
  test('an end without a stop reason', () => expect(reading(over)).toThrow('without a stop reason'));
  test('a tool call without a name', () =>
    expect(reading(begin(0, { type: 'tool_use', id: 'a' }))).toThrow('without a name'));
});

test('comments and unknown events yield nothing', () =>
  expect(readAll([Buffer.from(': keep-alive\n\n'), frame('event_of_tomorrow')]).events).toEqual([]));

test.each(Object.entries(STREAMS))(
  '%s: split at any byte, it does not end before message_stop',
  (_, frames) => {
    const bytes = Buffer.concat(frames);
    const whole = readAll(frames).events;
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new MessageEvents();
      const splitter = new SseSplitter();
      const first = splitter.push(bytes.subarray(0, cut)).flatMap((event) => reader.read(event));
      expect(reader.ended).toBe(cut === bytes.length);
      const second = splitter.push(bytes.subarray(cut)).flatMap((event) => reader.read(event));
      expect([...first, ...second]).toEqual(whole);
      expect(reader.ended).toBe(true);
    }
  },
);

const input = fc.dictionary(fc.string({ maxLength: 5 }), fc.string(), { maxKeys: 3 });
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant('thinking'),
    thinking: fc.string(),
    signature: fc.base64String({ minLength: 4 }),
  }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.base64String({ minLength: 4 }) }),
  fc.record({
    type: fc.constant('tool_use'),
    id: fc.string({ minLength: 1 }),
    name: fc.constant('f'),
    input,
  }),
);
type Block = { type: string; text?: string; thinking?: string; signature?: string; input?: object };

test('a streamed message equals the complete one', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (content, size) => {
      const frames = [
        started(),
        ...content.flatMap((one, i) => framesOf(one, i, size)),
        stopped('end_turn'),
        over,
      ];
      const whole = readMessage({ content, stop_reason: 'end_turn', stop_sequence: null });
      expect(joined(readAll(frames).events)).toEqual(joined(eventsOf(whole.parts)));
    }),
  );
});

function framesOf(block: Block, index: number, size: number): Buffer[] {
  const pieces = (whole: string) => whole.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
  const empty = { ...block };
  const deltas: Buffer[] = [];
  if (block.type === 'text') {
    empty.text = '';
    deltas.push(...pieces(block.text!).map((piece) => text(index, piece)));
  }
  if (block.type === 'thinking') {
    Object.assign(empty, { thinking: '', signature: '' });
    deltas.push(
      ...pieces(block.thinking!).map((thinking) =>
        frame('content_block_delta', { index, delta: { type: 'thinking_delta', thinking } }),
      ),
    );
    deltas.push(signature(index, block.signature!));
  }
  if (block.type === 'tool_use') {
    empty.input = {};
    deltas.push(...pieces(JSON.stringify(block.input)).map((piece) => json(index, piece)));
  }
  return [begin(index, empty), ...deltas, end(index)];
}

/** A whole reply as if each part had come at once. */
function eventsOf(parts: readonly ReplyPart[]): ReplyEvent[] {
  let calls = 0;
  return parts.flatMap((part): ReplyEvent[] => {
    if (part.kind === 'web_search') return [part];
    if (part.kind === 'text') return [{ kind: 'text', text: part.text }];
    if (part.kind === 'redacted_thinking') return [part];
    if (part.kind === 'tool_call') {
      const call = calls++;
      const { id, name } = part;
      return [
        { kind: 'tool_call', call, id, name },
        { kind: 'tool_arguments', call, text: part.arguments },
      ];
    }
    const said: ReplyEvent[] = part.text === '' ? [] : [{ kind: 'thinking', text: part.text }];
    return part.signature ? [...said, { kind: 'thinking_signature', signature: part.signature }] : said;
  });
}

/** Pieces of one text put together; what ends a stream left out. */
function joined(events: readonly ReplyEvent[]): object[] {
  const result: { kind: string; text?: string; call?: number }[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (
      'text' in event &&
      last?.kind === event.kind &&
      last.call === ('call' in event ? event.call : undefined)
    ) {
      last.text += event.text;
    } else if (event.kind !== 'stop') result.push({ ...event });
  }
  return result;
}

describe('a message_start that contains content', () => {
  const startedWith = (content: object[], stop_reason: string | null = null) =>
    frame('message_start', {
      message: {
        id: 'msg_01',
        type: 'message',
        role: 'assistant',
        content,
        stop_reason,
        usage: { input_tokens: 25, output_tokens: 9 },
      },
    });
  const server = [
    {
      type: 'server_tool_use',
      id: 'srvtoolu_01',
      name: 'code_execution',
      input: { code: 'roll()' },
    },
    {
      type: 'tool_use',
      id: 'toolu_01',
      name: 'roll_die',
      input: { player: 'one' },
      caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_01' },
    },
  ];
  const call = [
    { kind: 'tool_call', call: 0, id: 'toolu_01', name: 'roll_die' },
    { kind: 'tool_arguments', call: 0, text: '{"player":"one"}' },
  ];

  test('yields its tool calls at once and stops with the reason of message_delta', () => {
    const { events, ended } = readAll([startedWith(server), stopped('tool_use'), over]);
    expect(events).toEqual([...call, { kind: 'stop', stop: 'tool_calls' }]);
    expect(ended).toBe(true);
  });

  test('yields its text and thinking before those of later blocks', () => {
    const { events } = readAll([
      startedWith([
        { type: 'thinking', thinking: 'Hm.', signature: 'EqQB==' },
        { type: 'text', text: 'First, ' },
        { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_01', content: { stdout: '6' } },
      ]),
      begin(0, { type: 'text', text: '' }),
      text(0, 'second.'),
      end(0),
      begin(1, { type: 'tool_use', id: 'toolu_02', name: 'f', input: {} }),
      json(1, '{"x":1}'),
      end(1),
      stopped('tool_use'),
      over,
    ]);
    expect(events).toEqual([
      { kind: 'thinking', text: 'Hm.' },
      signed('EqQB=='),
      { kind: 'text', text: 'First, ' },
      { kind: 'text', text: 'second.' },
      { kind: 'tool_call', call: 0, id: 'toolu_02', name: 'f' },
      { kind: 'tool_arguments', call: 0, text: '{"x":1}' },
      { kind: 'stop', stop: 'tool_calls' },
    ]);
  });

  test('stops with its own reason if no message_delta has one', () => {
    const { events, ended } = readAll([startedWith(server, 'tool_use'), over]);
    expect(events).toEqual([...call, { kind: 'stop', stop: 'tool_calls' }]);
    expect(ended).toBe(true);
  });
});
