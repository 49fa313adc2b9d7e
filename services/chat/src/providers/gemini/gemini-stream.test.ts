import { SseSplitter } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ReplyEvent } from '../../domain/reply';
import { geminiProvider } from './gemini-provider';
import { BLOCKED, CALLS, eventOf, TEXT_CHUNKS } from './responses.fixture';

let made = 0;
const provider = geminiProvider({
  id: 'google',
  baseUrl: 'https://example.com/',
  apiKey: 'k',
  newToolId: () => `made_${made++}`,
});

function read(...responses: object[]) {
  const stream = provider.readStream();
  return { stream, events: responses.flatMap((response) => stream.read(eventOf(response))) };
}

const finished = (finishReason: string, ...parts: object[]) => ({
  candidates: [{ content: { parts }, finishReason }],
});

describe('text', () => {
  const { stream, events } = read(...TEXT_CHUNKS);

  test('arrives in pieces after its thinking, and before its signature', () => {
    expect(events).toEqual([
      { kind: 'thinking', text: 'Let me see.' },
      { kind: 'text', text: 'Ein ' },
      { kind: 'text', text: 'Satz.' },
      { kind: 'thinking_signature', signature: { wire: 'gemini', value: 'text.c2lnbmVk' } },
      { kind: 'stop', stop: 'end' },
    ]);
    expect(stream.ended).toBe(true);
  });

  test('is billed by the last figures: thinking in addition to the answer, cached tokens within the prompt', () => {
    expect(stream.usage).toEqual({ input: 15, cache_read: 5, cache_write: 0, output: 15, reasoning: 12 });
  });
});

test('parallel tool calls arrive whole in one chunk, each with an id, and end the reply', () => {
  made = 0;
  expect(read(CALLS).events).toEqual([
    {
      kind: 'tool_call',
      call: 0,
      id: 'fc_1',
      name: 'find',
      signature: { wire: 'gemini', value: 'Zmlyc3Q=' },
    },
    { kind: 'tool_arguments', call: 0, text: '{"q":"ä","n":2}' },
    { kind: 'tool_call', call: 1, id: 'made_0', name: 'tell' },
    { kind: 'tool_arguments', call: 1, text: '{}' },
    { kind: 'stop', stop: 'tool_calls' },
  ]);
});

test('arguments keep the digits of long integers', () => {
  const args = '{"id":12345678901234567890}';
  const json = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]}}]}`;
  const events = provider.readStream().read(Buffer.from(`data: ${json}\n\n`));
  expect(events).toContainEqual({ kind: 'tool_arguments', call: 0, text: args });
});

test('calls of one name in several chunks have different ids', () => {
  const call = { functionCall: { name: 'find', args: {} } };
  const { events } = read({ candidates: [{ content: { parts: [call] } }] }, finished('STOP', call));
  const ids = events.flatMap((event) => (event.kind === 'tool_call' ? [event.id] : []));
  expect(new Set(ids).size).toBe(2);
  expect(events.at(-1)).toEqual({ kind: 'stop', stop: 'tool_calls' });
});

test('ids are unique', () => {
  const own = geminiProvider({ id: 'google', baseUrl: 'https://example.com', apiKey: 'k' });
  const ids = [1, 2].map(() => {
    const [call] = own.readReply({
      candidates: [{ ...CALLS.candidates[0], content: { parts: [{ functionCall: { name: 'f' } }] } }],
    }).parts;
    return call?.kind === 'tool_call' ? call.id : '';
  });
  expect(ids[0]).toMatch(/^call_[0-9a-f]{32}$/);
  expect(ids[0]).not.toBe(ids[1]);
});

test('a blocked prompt is a refusal, billed by its usage', () => {
  const { stream, events } = read(BLOCKED);
  expect(events).toEqual([{ kind: 'stop', stop: 'refusal' }]);
  expect(stream.ended).toBe(true);
  expect(provider.isReply(BLOCKED)).toBe(true);
  expect(provider.readReply(BLOCKED)).toEqual({ parts: [], stop: 'refusal' });
  expect(provider.readUsage(BLOCKED)).toMatchObject({ input: 9, output: 0 });
});

describe('the end', () => {
  test.each([
    ['STOP', 'end'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'refusal'],
    ['RECITATION', 'refusal'],
    ['LANGUAGE', 'refusal'],
    ['BLOCKLIST', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['SPII', 'refusal'],
    ['MODEL_ARMOR', 'refusal'],
    ['IMAGE_SAFETY', 'refusal'],
    ['IMAGE_PROHIBITED_CONTENT', 'refusal'],
    ['IMAGE_RECITATION', 'refusal'],
  ])('%s is %s', (reason, stop) => {
    expect(read(finished(reason, { text: 'x' })).events).toEqual([
      { kind: 'text', text: 'x' },
      { kind: 'stop', stop },
    ]);
  });

  test.each([
    'FINISH_REASON_UNSPECIFIED',
    'OTHER',
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MISSING_THOUGHT_SIGNATURE',
    'MALFORMED_RESPONSE',
    'NO_IMAGE',
    'IMAGE_OTHER',
    'toString',
  ])('%s is a failure, with its usage', (reason) => {
    const stream = provider.readStream();
    const failed = { ...finished(reason), usageMetadata: { promptTokenCount: 3 } };
    expect(() => stream.read(eventOf(failed))).toThrow();
    expect(stream.ended).toBe(false);
    expect(stream.usage).toMatchObject({ input: 3 });
    expect(() => provider.readReply(failed)).toThrow();
  });

  test('is sent once: later chunks only have usage', () => {
    const { stream, events } = read(finished('STOP', { text: 'x' }), {
      candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 1 },
    });
    expect(events.filter(({ kind }) => kind === 'stop')).toHaveLength(1);
    expect(stream.usage).toMatchObject({ input: 2, output: 1 });
  });
});

describe('an invalid reply', () => {
  test.each([
    ['an error in the stream', { error: { code: 503, status: 'UNAVAILABLE', message: 'secret words' } }],
    ['a call without a name', finished('STOP', { functionCall: { args: {} } })],
  ])('%s is reported without its text', (_name, response) => {
    expect(() => read(response)).toThrow(expect.not.stringContaining('secret'));
  });

  test('invalid JSON', () => {
    expect(() => provider.readStream().read(Buffer.from('data: {"candidates": [secret\n\n'))).toThrow(
      'chunk is not JSON',
    );
  });

  test('a reply with neither content nor an end', () => {
    expect(() => provider.readReply({ candidates: [{ content: { parts: [] } }] })).toThrow();
    expect(provider.isReply({ usageMetadata: {} })).toBe(false);
  });
});

test.each([
  ['comments', ': keep-alive\n\n'],
  [
    'parts of other kinds',
    'data: {"candidates":[{"content":{"parts":[{"executableCode":{"code":"1"}}]}}]}\n\n',
  ],
  ['chunks of figures alone', 'data: {"usageMetadata":{"promptTokenCount":1}}\n\n'],
])('%s yields nothing', (_name, event) => {
  expect(provider.readStream().read(Buffer.from(event))).toEqual([]);
});

describe('usage', () => {
  test.each([
    [
      'of the provider’s own tools are input',
      { promptTokenCount: 4, toolUsePromptTokenCount: 6 },
      { input: 10 },
    ],
    [
      'of the cache are no more than the prompt',
      { promptTokenCount: 4, cachedContentTokenCount: 9 },
      { input: 0, cache_read: 4 },
    ],
  ])('%s', (_name, usageMetadata, expected) => {
    expect(provider.readUsage({ usageMetadata })).toMatchObject(expected);
  });

  test.each([
    [
      'the prompt follows from the total',
      { candidatesTokenCount: 70, thoughtsTokenCount: 6, totalTokenCount: 96 },
      { input: 20, output: 76, reasoning: 6 },
    ],
    ['the prompt is counted without a total', { candidatesTokenCount: 76 }, { input: 0, output: 76 }],
    [
      'the output follows from the total',
      { promptTokenCount: 20, totalTokenCount: 96 },
      { input: 20, output: 76 },
    ],
    [
      'an implausible figure is missing',
      { promptTokenCount: 1, candidatesTokenCount: 1e12 },
      { input: 1, output: 0 },
    ],
    [
      'thoughts that only the total has are output',
      { promptTokenCount: 20, candidatesTokenCount: 6, totalTokenCount: 96 },
      { input: 20, output: 76, reasoning: 70 },
    ],
  ])('is better than none: %s', (_name, usageMetadata, expected) => {
    expect(provider.readUsage({ usageMetadata })).toMatchObject(expected);
  });

  test.each([{}, { promptTokenCount: -1 }, { totalTokenCount: 3 }, null])(
    'is absent in %j',
    (usageMetadata) => {
      expect(provider.readUsage({ usageMetadata })).toBeUndefined();
    },
  );
});

test('figures in a chunk after the finish reason end the stream; without any, the end of the connection does', () => {
  const { stream } = read(finished('STOP', { text: 'x' }));
  expect(stream.ended).toBe(false);
  stream.read(eventOf({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } }));
  expect([stream.ended, stream.usage]).toMatchObject([true, { input: 3, output: 2 }]);
  const uncounted = read(finished('STOP', { text: 'x' })).stream;
  uncounted.end!();
  expect(uncounted.ended).toBe(true);
  const cut = read({ candidates: [{ content: { parts: [{ text: 'x' }] } }] }).stream;
  cut.end!();
  expect(cut.ended).toBe(false);
});

test('a passed client receives the finish reason once the figures or the end of the connection follow', () => {
  const finish = eventOf(finished('STOP', { text: 'x' }));
  const figures = eventOf({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } });
  const passing = () => provider.passStream!({ model: 'google/gemini' } as never, {} as never);
  const counted = passing();
  expect(counted.take(Buffer.from(finish)).kind).toBe('hide');
  expect(counted.take(Buffer.from(figures))).toEqual({
    kind: 'done',
    bytes: Buffer.concat([finish, figures]),
  });
  const uncounted = passing();
  uncounted.take(Buffer.from(finish));
  expect(uncounted.end!()).toEqual(finish);
  expect(passing().end!()).toBeUndefined();
});

test('split at any byte, a stream does not end before its finish reason', () => {
  const bytes = Buffer.concat(TEXT_CHUNKS.map(eventOf));
  for (let cut = 0; cut < bytes.length; cut++) {
    const stream = provider.readStream();
    for (const event of new SseSplitter().push(bytes.subarray(0, cut))) stream.read(event);
    expect(stream.ended).toBe(false);
  }
});

test('a stream yields the same as the whole reply, wherever its texts are split', () => {
  const part = fc.oneof(
    fc.record({ text: fc.string() }),
    fc.record({ text: fc.string(), thought: fc.constant(true) }),
    fc.record({ text: fc.string(), thoughtSignature: fc.base64String({ minLength: 4 }) }),
    fc.record({
      functionCall: fc.record({
        id: fc.uuid(),
        name: fc.constant('f'),
        args: fc.dictionary(fc.string(), fc.json()),
      }),
    }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.infiniteStream(fc.nat(5)), (parts, cuts) => {
      const chunks = parts.flatMap((each): object[] => {
        if (!('text' in each) || 'thoughtSignature' in each) return [each];
        const at = cuts.next().value as number;
        return [
          { ...each, text: each.text.slice(0, at) },
          { ...each, text: each.text.slice(at) },
        ];
      });
      const { events } = read(
        ...chunks.map((chunk) => ({ candidates: [{ content: { parts: [chunk] } }] })),
        finished('STOP'),
      );
      expect(joined(events)).toEqual(joined(read(finished('STOP', ...parts)).events));
    }),
  );
});

/** Events with neighbouring pieces joined. */
function joined(events: readonly ReplyEvent[]): ReplyEvent[] {
  const list: ReplyEvent[] = [];
  for (const event of events) {
    const last = list.at(-1);
    if ((event.kind === 'text' || event.kind === 'thinking') && last?.kind === event.kind) {
      list[list.length - 1] = { ...event, text: (last as { text: string }).text + event.text };
    } else list.push(event);
  }
  return list;
}

describe('a tool call whose arguments arrive in pieces', () => {
  const part = (functionCall: object, more: object = {}) => ({
    candidates: [{ content: { parts: [{ functionCall, ...more }] } }],
  });
  const more = (...partialArgs: object[]) => part({ partialArgs, willContinue: true });

  test('has its whole arguments, and so does the next call', () => {
    const { events, stream } = read(
      part({ id: 'fc_1', name: 'book', willContinue: true }, { thoughtSignature: 'c2lnbmVk' }),
      more({ jsonPath: '$.city', stringValue: 'San ', willContinue: true }),
      more({ jsonPath: '$.city', stringValue: 'Francisco', willContinue: true }),
      more({ jsonPath: '$.city', stringValue: '' }, { jsonPath: '$.nights', numberValue: 3 }),
      more(
        { jsonPath: '$.guests[0].name', stringValue: 'Ann' },
        { jsonPath: '$.guests[0].child', boolValue: false },
      ),
      more(
        { jsonPath: "$.guests[1]['first name']", stringValue: 'Bob' },
        { jsonPath: '$.note', nullValue: 'NULL_VALUE' },
      ),
      part({}),
      part({ id: 'fc_2', name: 'pay', partialArgs: [{ jsonPath: '$["__proto__"].x', numberValue: 1 }] }),
      finished('STOP'),
    );
    expect(events).toEqual([
      {
        kind: 'tool_call',
        call: 0,
        id: 'fc_1',
        name: 'book',
        signature: { wire: 'gemini', value: 'c2lnbmVk' },
      },
      {
        kind: 'tool_arguments',
        call: 0,
        text: JSON.stringify({
          city: 'San Francisco',
          nights: 3,
          guests: [{ name: 'Ann', child: false }, { 'first name': 'Bob' }],
          note: null,
        }),
      },
      { kind: 'tool_call', call: 1, id: 'fc_2', name: 'pay' },
      { kind: 'tool_arguments', call: 1, text: '{"__proto__":{"x":1}}' },
      { kind: 'stop', stop: 'tool_calls' },
    ]);
    stream.end!();
    expect(stream.ended).toBe(true);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('is complete when the stream finishes within it or another call begins', () => {
    const { events } = read(
      part({ id: 'a', name: 'f', willContinue: true }),
      more({ jsonPath: '$.x', numberValue: 1 }),
      part({ id: 'b', name: 'g', willContinue: true }),
      more({ jsonPath: '$.y', stringValue: 'z', willContinue: true }),
      finished('STOP'),
    );
    expect(events.filter(({ kind }) => kind === 'tool_arguments')).toEqual([
      { kind: 'tool_arguments', call: 0, text: '{"x":1}' },
      { kind: 'tool_arguments', call: 1, text: '{"y":"z"}' },
    ]);
  });

  test('fails the stream when a list also gets named members', () => {
    const pieces = ['$.a[0]', '$.a.length'].map((jsonPath) => ({ jsonPath, numberValue: 1e9 }));
    expect(() => read(part({ name: 'f', willContinue: true }), more(...pieces))).toThrow('two types');
  });

  test.each(['x', '$', '$[0]', '$.a..b', '$.a[99999]', `$${'.a'.repeat(65)}`, undefined])(
    'fails the stream when a piece has the path %j',
    (jsonPath) => {
      expect(() => read(part({ name: 'f', willContinue: true }), more({ jsonPath, numberValue: 1 }))).toThrow(
        /^argument/,
      );
    },
  );
});
