import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ReplyEvent } from '../../domain/reply';
import { fromOpenAiUsage } from './openai-usage';
import { QUIRKS } from './quirks';
import { ChunkReader } from './read-chunks';

const USAGE = { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } };

const frame = (data: unknown) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const chunk = (delta: object, finish_reason: string | null = null) =>
  frame({ id: 'c-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
const DONE = Buffer.from('data: [DONE]\n\n');
const call = (fields: object) => chunk({ tool_calls: [fields] });

const reader = () => new ChunkReader(({ usage }) => fromOpenAiUsage(usage, QUIRKS.common.usage));

function read(...events: Buffer[]): ReplyEvent[] {
  const stream = reader();
  const all = [...events, DONE].flatMap((event) => [...stream.read(event)]);
  expect(stream.ended).toBe(true);
  return all;
}

const start = (number: number, id: string, name: string) => ({ kind: 'tool_call', call: number, id, name });
const args = (number: number, text: string) => ({ kind: 'tool_arguments', call: number, text });
const stop = (reason: string) => ({ kind: 'stop', stop: reason });

describe('text', () => {
  test('of a plain reply', () => {
    expect(
      read(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }, 'stop'),
      ),
    ).toEqual([{ kind: 'text', text: 'Hel' }, { kind: 'text', text: 'lo' }, stop('end')]);
  });

  test('of a refusal', () => {
    expect(read(chunk({ refusal: 'No.' }), chunk({}, 'stop'))).toEqual([
      { kind: 'text', text: 'No.' },
      stop('refusal'),
    ]);
  });

  test('after the finish reason still counts', () => {
    expect(read(chunk({ content: 'a' }, 'length'), chunk({ content: 'b' }))).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
      stop('length'),
    ]);
  });

  test('of other choices is ignored', () => {
    const other = frame({ choices: [{ index: 1, delta: { content: 'x' } }] });
    expect(read(other, chunk({ content: 'a' }, 'stop'))).toEqual([{ kind: 'text', text: 'a' }, stop('end')]);
  });

  test.each([
    ['reasoning_content', { reasoning_content: 'hm' }],
    ['reasoning', { reasoning: 'hm' }],
    [
      'both and details, once',
      {
        reasoning: 'hm',
        reasoning_content: 'hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'hm' }],
      },
    ],
    ['parts of the content', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }],
  ])('thinking in %s', (_name, delta) => {
    expect(read(chunk(delta), chunk({ content: 'ok' }, 'stop'))).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'ok' },
      stop('end'),
    ]);
  });

  test('thinking that details repeat at the end is read once', () => {
    const details = [{ type: 'reasoning.text', text: 'hm', signature: 'S', index: 0 }];
    expect(read(chunk({ reasoning_content: 'hm' }), chunk({ reasoning_details: details }, 'stop'))).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'thinking_signature', signature: { wire: 'openai', value: 'S' } },
      stop('end'),
    ]);
  });

  test('signed and encrypted thinking', () => {
    const details = [
      { type: 'reasoning.text', signature: 'S', index: 0 },
      { type: 'reasoning.encrypted', data: 'D', index: 1 },
    ];
    expect(read(chunk({ reasoning_details: details }, 'stop'))).toEqual([
      { kind: 'thinking_signature', signature: { wire: 'openai', value: 'S' } },
      { kind: 'redacted_thinking', data: { wire: 'openai', value: 'D' } },
      stop('end'),
    ]);
  });
});

describe('tool calls', () => {
  test('in pieces, two at a time', () => {
    const events = read(
      call({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"x"' } }),
      call({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }),
      call({ index: 1, function: { arguments: '{}' } }),
      call({ index: 0, function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    );
    expect(events).toEqual([
      start(0, 'a', 'f'),
      args(0, '{"x"'),
      start(1, 'b', 'g'),
      args(1, '{}'),
      args(0, ':1}'),
      stop('tool_calls'),
    ]);
  });

  test('with their whole arguments in one chunk', () => {
    expect(read(call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }))).toEqual([
      start(0, 'a', 'f'),
      args(0, '{"x":1}'),
      stop('tool_calls'),
    ]);
  });

  test('with arguments that are not text', () => {
    const events = read(call({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }));
    expect(events[1]).toEqual(args(0, '{"x":1}'));
  });

  test('with their arguments only at the end', () => {
    const events = read(
      call({ index: 0, id: 'a', function: { name: 'f' } }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, 'tool_calls'),
    );
    expect(events).toEqual([start(0, 'a', 'f'), args(0, '{}'), stop('tool_calls')]);
  });

  test('that repeat id and name in every piece', () => {
    const piece = (text: string) => call({ index: 0, id: 'a', function: { name: 'f', arguments: text } });
    expect(read(piece('{'), piece('}'))).toEqual([
      start(0, 'a', 'f'),
      args(0, '{'),
      args(0, '}'),
      stop('tool_calls'),
    ]);
  });

  test('without an index', () => {
    const events = read(
      call({ id: 'a', function: { name: 'f', arguments: '{' } }),
      call({ function: { arguments: '}' } }),
      call({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      call({ id: 'a', function: { arguments: ' ' } }),
    );
    expect(events).toEqual([
      start(0, 'a', 'f'),
      args(0, '{'),
      args(0, '}'),
      start(1, 'b', 'g'),
      args(1, '{}'),
      args(0, ' '),
      stop('tool_calls'),
    ]);
  });

  test('that all have the same index', () => {
    const whole = (id: string) => call({ index: 0, id, function: { name: 'f', arguments: '{}' } });
    const events = read(whole('a'), whole('b'));
    expect(events).toEqual([
      start(0, 'a', 'f'),
      args(0, '{}'),
      start(1, 'b', 'f'),
      args(1, '{}'),
      stop('tool_calls'),
    ]);
  });

  test('without index or id get unique ids', () => {
    const whole = call({ function: { name: 'f', arguments: '{}' } });
    const ids = read(whole, whole).flatMap((event) => (event.kind === 'tool_call' ? [event.id] : []));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });

  test('whose name comes after their id', () => {
    const events = read(
      call({ index: 0, id: 'a', function: { arguments: '{' } }),
      call({ index: 0, function: { name: 'f', arguments: '}' } }),
    );
    expect(events).toEqual([start(0, 'a', 'f'), args(0, '{}'), stop('tool_calls')]);
  });

  test.each(['', ' '])(
    'with arguments that are an object, which keep their digits, written with %j',
    (space) => {
      const piece = `{"index":0,"id":"a","function":{"name":"f","arguments":${space}{"n":12345678901234567890}}}`;
      const event = Buffer.from(`data: {"choices":[{"delta":{"tool_calls":[${piece}]}}]}\n\n`);
      expect(read(event, chunk({}, 'tool_calls'))).toEqual([
        start(0, 'a', 'f'),
        args(0, '{"n":12345678901234567890}'),
        stop('tool_calls'),
      ]);
    },
  );

  test("signed as Google's endpoint signs them", () => {
    const events = read(
      call({
        index: 0,
        id: 'a',
        function: { name: 'f', arguments: '{}' },
        extra_content: { google: { thought_signature: 'S' } },
      }),
    );
    expect(events[0]).toEqual({ ...start(0, 'a', 'f'), signature: { wire: 'openai', value: 'S' } });
  });

  test('an empty list beside content has none', () => {
    expect(read(chunk({ content: 'a', tool_calls: [] }, 'stop'))).toEqual([
      { kind: 'text', text: 'a' },
      stop('end'),
    ]);
  });

  test('forced ones end with stop but are tool calls', () => {
    const piece = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    expect(read(chunk({ tool_calls: [piece] }, 'stop')).at(-1)).toEqual(stop('tool_calls'));
  });
});

describe('usage', () => {
  test('is the latest figure, wherever it appears', () => {
    const stream = reader();
    stream.read(
      frame({ choices: [{ index: 0, delta: { content: 'a' } }], usage: { ...USAGE, completion_tokens: 1 } }),
    );
    stream.read(frame({ choices: [], usage: USAGE }));
    stream.read(frame({ choices: [], usage: null }));
    expect(stream.usage).toMatchObject({ input: 7, cache_read: 3, output: 4 });
  });
});

describe('the end', () => {
  test('is [DONE] and nothing else', () => {
    const stream = reader();
    for (const event of [chunk({ content: 'a' }, 'stop'), frame({ choices: [], usage: USAGE })]) {
      stream.read(event);
      expect(stream.ended).toBe(false);
    }
    expect(stream.read(Buffer.from('data:[DONE]\r\n\r\n'))).toEqual([stop('end')]);
    expect(stream.ended).toBe(true);
  });

  test.each([
    ['an error chunk', frame({ error: { message: 'overloaded' } })],
    ['an error event', Buffer.from('event: error\ndata: {"object":"error","message":"x"}\n\n')],
    ['a chunk that is not JSON', Buffer.from('data: {"choices":\n\n')],
    ['a chunk that is no object', Buffer.from('data: 1\n\n')],
  ])('%s is a failure', (_name, event) => {
    expect(() => reader().read(event)).toThrow(Error);
  });

  test('a finish reason that means a failure', () => {
    expect(() => read(chunk({}, 'error'))).toThrow(Error);
  });

  test('a tool call that never got a name is a failure', () => {
    expect(() => read(call({ index: 0, id: 'a', function: { arguments: '{}' } }))).toThrow(Error);
  });

  test('comments are ignored', () => {
    expect(reader().read(Buffer.from(': processing\n\n'))).toEqual([]);
  });
});

test('whatever a provider sends is either read or a failure', () => {
  const noise = fc.jsonValue({ maxDepth: 2 });
  /** Mostly what belongs there. */
  const or = (...right: unknown[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: noise });
  const piece = fc.record(
    {
      index: or(0, 1),
      id: or('a', 'b'),
      function: fc.oneof(or({}), fc.record({ name: or('f', ''), arguments: or('{}', '') })),
      extra_content: or({ google: { thought_signature: 'S' } }),
    },
    { requiredKeys: [] },
  );
  const delta = fc.record(
    {
      content: fc.oneof(
        or('x', null),
        fc.array(or({ type: 'text', text: 'x' }, { type: 'thinking', thinking: [] })),
      ),
      refusal: or('x', null),
      reasoning_content: or('x', null),
      reasoning_details: fc.array(or({ text: 'x' }, { data: 'x' }, { signature: 'S' }), { maxLength: 2 }),
      tool_calls: fc.oneof(or(null), fc.array(piece, { maxLength: 3 })),
    },
    { requiredKeys: [] },
  );
  const choice = fc.record({ delta: fc.oneof(delta, noise), finish_reason: or('stop', 'tool_calls', null) });
  fc.assert(
    fc.property(
      fc.array(fc.record({ choices: fc.array(choice, { maxLength: 2 }), usage: or(null) })),
      (chunks) => {
        const stream = reader();
        const events: ReplyEvent[] = [];
        try {
          for (const event of [...chunks.map(frame), DONE]) events.push(...stream.read(event));
        } catch (error) {
          expect((error as Error).constructor).toBe(Error);
        }
        let calls = 0;
        for (const event of events) {
          if ('text' in event) expect(event.text.length).toBeGreaterThan(0);
          if (event.kind === 'tool_call') {
            expect(event.name && event.id).toMatch(/./);
            calls = Math.max(calls, event.call + 1);
          }
          if (event.kind === 'tool_arguments') expect(event.call).toBeLessThan(calls);
        }
      },
    ),
    { numRuns: 500 },
  );
});
