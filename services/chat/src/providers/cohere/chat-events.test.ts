import { describe, expect, test } from '@jest/globals';
import { ChatEvents } from './chat-events';

const frame = (event: object) => Buffer.from(`event: x\ndata: ${JSON.stringify(event)}\n\n`);
const start = (index: number, calls: unknown) => ({
  type: 'tool-call-start',
  index,
  delta: { message: { tool_calls: calls } },
});
const callNamed = (name: string, id?: string, given: string | null = '') => ({
  ...(id && { id }),
  type: 'function',
  function: { name, arguments: given },
});
const piece = (index: number, given: string) => ({
  type: 'tool-call-delta',
  index,
  delta: { message: { tool_calls: { function: { arguments: given } } } },
});
const end = (delta: object = { finish_reason: 'COMPLETE' }) => ({ type: 'message-end', delta });
const read = (...events: object[]) => {
  const reader = new ChatEvents();
  return events.flatMap((event) => reader.read(frame(event)));
};

describe('arguments of tool calls', () => {
  test('arrive in pieces, by the index of their call', () => {
    expect(
      read(
        start(0, callNamed('f', 'a')),
        start(1, callNamed('g', 'b', '{"x"')),
        piece(0, '{}'),
        piece(1, ':1}'),
        end(),
      ),
    ).toEqual([
      { kind: 'tool_call', call: 0, id: 'a', name: 'f' },
      { kind: 'tool_call', call: 1, id: 'b', name: 'g' },
      { kind: 'tool_arguments', call: 1, text: '{"x"' },
      { kind: 'tool_arguments', call: 0, text: '{}' },
      { kind: 'tool_arguments', call: 1, text: ':1}' },
      { kind: 'stop', stop: 'tool_calls' },
    ]);
  });

  test.each([['null'], ['nu', 'll'], [' null'], []])('are none for the pieces %j', (...pieces) => {
    const events = read(start(0, callNamed('f', 'a')), ...pieces.map((text) => piece(0, text)), end());
    expect(events.map(({ kind }) => kind)).toEqual(['tool_call', 'stop']);
  });

  test('that were cut after they began like null are passed on', () => {
    expect(read(start(0, callNamed('f', 'a')), piece(0, 'nul'), end())).toContainEqual({
      kind: 'tool_arguments',
      call: 0,
      text: 'nul',
    });
  });

  test('of a call that has not begun are an error', () => {
    expect(() => read(piece(0, '{}'))).toThrow('has not begun');
  });
});

test('a call may be in a list, and has an id also if the provider gives none', () => {
  const [event] = read({ type: 'message-start', id: 'r' }, start(0, [callNamed('f')]));
  expect(event).toMatchObject({ kind: 'tool_call', name: 'f', id: expect.stringMatching(/^call_/) });
});

test('a call without a name is an error', () => {
  expect(() => read(start(0, callNamed('', 'a')))).toThrow('without a name');
});

test('text that the start of a part contains is not lost', () => {
  const content = { type: 'text', text: 'a' };
  expect(read({ type: 'content-start', index: 0, delta: { message: { content } } })).toEqual([
    { kind: 'text', text: 'a' },
  ]);
});

test('events of unknown types, and the end marker of other formats, are ignored', () => {
  const reader = new ChatEvents();
  expect(read({ type: 'citation-start', delta: {} }, { type: 'debug' })).toEqual([]);
  expect(reader.read(Buffer.from('data: [DONE]\n\n'))).toEqual([]);
  expect(reader.ended).toBe(false);
});

test.each([
  { finish_reason: 'ERROR' },
  { finish_reason: 'TIMEOUT' },
  { finish_reason: 'COMPLETE', error: 'out of memory' },
])('a reply that ends with %j has failed, and its usage is known', (delta) => {
  const reader = new ChatEvents();
  const usage = { tokens: { input_tokens: 3, output_tokens: 2 } };
  expect(() => reader.read(frame(end({ ...delta, usage })))).toThrow('provider ended its reply');
  expect(reader.usage).toMatchObject({ input: 3, output: 2 });
  expect(reader.ended).toBe(false);
});

test('an error event and data that is no JSON end the stream, without being quoted', () => {
  const reader = new ChatEvents();
  expect(() => reader.read(Buffer.from('event: error\ndata: {"message":"canary"}\n\n'))).toThrow(
    'provider sent an error event',
  );
  expect(() => reader.read(Buffer.from('data: canary\n\n'))).toThrow(
    'provider sent an event that is not a JSON object',
  );
});
