import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import {
  begin,
  frame,
  json,
  ping,
  STREAMS,
  signature,
  started,
  stopped,
  text,
  thinking,
} from './message-streams.fixture';
import { PassThroughMessages } from './pass-through-messages';

const MODEL = 'anthropic/claude “x”';
const passing = () =>
  new PassThroughMessages(new Quota({ limit: 1024 }), { model: MODEL, chargedNano: () => 1_500n });
/** With the two things that are changed. */
const rewritten = (event: Buffer) => {
  const renamed = event.toString().replace('"claude-sonnet-4-6"', JSON.stringify(MODEL));
  if (!renamed.includes('"message_delta"')) return renamed;
  return renamed.replace(/("usage":\{.*)\}\}/, '$1,"cost":0.0000015}}');
};

test.each(Object.entries(STREAMS))(
  "%s: every byte passes except the model's name and the cost, and the last event waits for the settlement",
  (_, frames) => {
    const stream = passing();
    const kinds = frames.map((event) => {
      const taken = stream.take(event);
      expect('bytes' in taken && taken.bytes.toString()).toBe(rewritten(event));
      return taken.kind;
    });
    expect(kinds.slice(0, -1).every((kind) => kind === 'pass')).toBe(true);
    expect(kinds.at(-1)).toBe('done');
  },
);

test('usage: later figures replace earlier ones', () => {
  const stream = passing();
  expect(stream.usage).toBeUndefined();
  stream.take(started());
  expect(stream.usage).toMatchObject({ input: 25, output: 1 });
  stream.take(stopped('end_turn', { output_tokens: 15 }));
  expect(stream.usage).toMatchObject({ input: 25, output: 15 });
});

describe('text that looks like an end event or usage passes unchanged', () => {
  test.each([
    ['text', text(0, '{"type":"message_stop"} "usage":{"input_tokens":9,"output_tokens":9} "error"')],
    [
      'a tool of that name',
      begin(0, { type: 'tool_use', id: 'a', name: 'message_stop', input: { type: 'error' } }),
    ],
    ['a comment', Buffer.from(': "message_stop"\n\n')],
    ['a ping', ping],
  ])('%s', (_, event) => {
    const stream = passing();
    expect(stream.take(event)).toEqual({ kind: 'pass', bytes: event });
    expect(stream.usage).toBeUndefined();
  });
});

test("the provider's error event", () => {
  const stream = passing();
  expect(stream.take(frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }))).toEqual(
    {
      kind: 'error',
    },
  );
});

describe('an event that fails the stream', () => {
  const taken = (event: string) => passing().take(Buffer.from(event)).kind;

  test.each([
    ['an error without its type', 'event: error\ndata: {"error":{"message":"down","type":"x"}}\n\n'],
    ['one by its name alone', 'event: error\ndata: {"message":"down"}\n\n'],
    ['one without a name', 'data: {"error":{"message":"down"}}\n\n'],
  ])('%s', (_, event) => expect(taken(event)).toBe('error'));

  test.each([
    ['a delta that is cut', text(0, 'a').toString().replace('}}', '')],
    ['what is no JSON', 'event: ping\ndata: {broken\n\n'],
    ['an end that a CR cuts into lines', 'event: message_stop\ndata: {\r"type":"message_stop"}\n\n'],
  ])('%s', (_, event) => expect(() => taken(event)).toThrow('not a JSON object'));

  test.each([' \n\n', '\nid: 7\n\n'])('%j at the end is not an event, and its text is counted', (end) => {
    const stream = passing();
    const event = Buffer.from(text(0, 'one two three').toString().trimEnd() + end);
    expect(stream.take(event)).toEqual({ kind: 'pass', bytes: event });
    expect(stream.countOutput()).toBe(3);
  });

  test('an event without data does not', () => {
    for (const event of [': wait\n\n', 'event: ping\ndata:\n\n']) expect(taken(event)).toBe('pass');
  });
});

test('frames without an event line, with other line ends and whitespace are read', () => {
  expect(passing().take(Buffer.from('data: {"type": "message_stop"}\r\n\r\n')).kind).toBe('done');
  const stream = passing();
  stream.take(
    Buffer.from('data: {"type":"message_delta","delta":{},"usage":{"input_tokens":2,"output_tokens":3}}\n\n'),
  );
  expect(stream.usage).toMatchObject({ input: 2, output: 3 });
});

test('text, thinking and tool calls are counted, signatures are not', () => {
  const stream = passing();
  expect(stream.estimateOutput()).toBe(0);
  const frames = [
    started(),
    begin(0, { type: 'thinking', thinking: '', signature: '' }),
    thinking(0, 'Hello wor'),
    thinking(0, 'ld'),
    signature(0, 'x'.repeat(4_000)),
    begin(1, { type: 'text', text: '' }),
    text(1, 'Hello world'),
    begin(2, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
    json(2, '{}'),
  ];
  for (const event of frames) stream.take(event);
  // "Hello world" is two tokens, "f" and "{}" one each; the start of a call counts as an event.
  expect(stream.countOutput()).toBe(2 + 2 + 1 + 1);
  expect(stream.estimateOutput()).toBe(6);
  stream.close();
});

describe('the input of a call', () => {
  const call = (index: number) => begin(index, { type: 'tool_use', id: 'a', name: 'f', input: {} });
  const received = (...events: Buffer[]) => {
    const stream = passing();
    const taken = events.map((event) => stream.take(event));
    return taken.flatMap((each) => ('bytes' in each ? each.bytes?.toString() : []));
  };

  test.each([
    ['null within an object', ['', '{"a":', 'null', '}']],
    ['an object at once', ['{"a":null}']],
  ])('passes unchanged: %s', (_, pieces) => {
    const events = [call(0), ...pieces.map((piece) => json(0, piece))];
    expect(received(...events)).toEqual(events.map(String));
  });

  test.each([[['null']], [['', 'nu', 'll']], [[' null', '\n']]])(
    'is left out if it is null: %j',
    (pieces) => {
      const events = [call(0), call(1), json(1, '{'), ...pieces.map((piece) => json(0, piece)), json(1, '}')];
      const others = pieces.filter((piece) => piece === '').map((piece) => json(0, piece));
      expect(received(...events)).toEqual(
        [call(0), call(1), json(1, '{'), ...others, json(1, '}')].map(String),
      );
    },
  );

  test('is left out if it is null and written with spaces', () => {
    const spaced = json(0, 'null').toString().replace('"partial_json":', '"partial_json": ');
    expect(received(call(0), Buffer.from(spaced))).toEqual([call(0).toString()]);
  });

  test('is whole if it only begins like null', () => {
    expect(received(call(0), json(0, ' '), json(0, '{'))).toEqual([call(0), json(0, ' {')].map(String));
  });
});

test('the estimate depends only on the text, however it is split into frames', () => {
  const stream = passing();
  for (const event of [text(0, 'x'.repeat(400)), thinking(10, 'x'.repeat(400)), json(2, 'x'.repeat(400))]) {
    stream.take(event);
  }
  expect(stream.estimateOutput()).toBe(300);
});

test('an event counts as at least one token', () => {
  const stream = passing();
  for (let i = 0; i < 10; i++) stream.take(text(0, 'a'));
  expect(stream.estimateOutput()).toBe(10);
});

test('input that arrives whole with its block is counted', () => {
  const stream = passing();
  stream.take(begin(0, { type: 'tool_use', id: 'a', name: 'f', input: { text: 'Hello world' } }));
  expect(stream.countOutput()).toBeGreaterThan(4);
});

test('content of message_start passes and is counted', () => {
  const stream = passing();
  const content = [
    { type: 'text', text: 'one two three' },
    {
      type: 'tool_use',
      id: 'toolu_01',
      name: 'roll',
      input: { dice: 'two of them' },
      caller: { type: 'direct' },
    },
  ];
  const event = frame('message_start', {
    message: { model: 'claude-sonnet-4-6', content, usage: { input_tokens: 25, output_tokens: 9 } },
  });
  const taken = stream.take(event);
  expect('bytes' in taken && taken.bytes.toString()).toBe(rewritten(event));
  expect(stream.countOutput()).toBeGreaterThan(8);
});
