import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ReplyEvent, StreamReader } from '../domain/reply';
import { MessageEvents } from '../providers/anthropic/message-events';
import { STREAMS, text, thinking } from '../providers/anthropic/message-streams.fixture';
import { GeminiStream } from '../providers/gemini/gemini-stream';
import { ChunkReader } from '../providers/openai/read-chunks';
import { TemplateEventReader } from './template-event-reader';

const BEGUN = STREAMS.text.slice(0, 2);

/** Counts the events that were parsed. */
class Counting implements StreamReader {
  parsed = 0;
  readonly #reader: StreamReader;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  get usage() {
    return this.#reader.usage;
  }

  get ended() {
    return this.#reader.ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    this.parsed++;
    return this.#reader.read(event);
  }
}

function start(reader: StreamReader) {
  const counting = new Counting(reader);
  const alike = new TemplateEventReader(counting);
  const parsedOf = (event: Buffer) => {
    const before = counting.parsed;
    return { events: alike.read(event), parsed: counting.parsed > before };
  };
  return { alike, parsedOf };
}

test('an event like the one before, but for its text, is not parsed', () => {
  const { alike, parsedOf } = start(new MessageEvents());
  for (const event of BEGUN) alike.read(event);
  expect(parsedOf(text(0, 'Hel'))).toEqual({ events: [{ kind: 'text', text: 'Hel' }], parsed: true });
  expect(parsedOf(text(0, 'lo, Jürgen 🎉'))).toEqual({
    events: [{ kind: 'text', text: 'lo, Jürgen 🎉' }],
    parsed: false,
  });
});

describe('parsed is', () => {
  test.each([
    ['an escape', text(0, 'a "b"\n'), 'a "b"\n'],
    ['a backslash', text(0, '\\'), '\\'],
    ['an escape that is not needed', Buffer.from(text(0, 'abc').toString().replace('b', '\\u0062')), 'abc'],
    ['another frame', Buffer.from(text(0, 'abc').toString().replace('}}', '} }')), 'abc'],
    ['a longer frame', Buffer.from(text(0, 'abc').toString().replace('}}', ',"more":"b"}}')), 'abc'],
  ])('%s', (_, event, said) => {
    const { alike, parsedOf } = start(new MessageEvents());
    for (const earlier of [...BEGUN, text(0, 'x')]) alike.read(earlier);
    expect(parsedOf(event)).toEqual({ events: [{ kind: 'text', text: said }], parsed: true });
  });

  test.each([
    ['a text that stands in its event twice', 'index'],
    ['a text that is escaped', 'a"b'],
  ])('what follows %s', (_, earlier) => {
    const { alike, parsedOf } = start(new MessageEvents());
    for (const event of [...BEGUN, text(0, earlier)]) alike.read(event);
    expect(parsedOf(text(0, 'y'))).toEqual({ events: [{ kind: 'text', text: 'y' }], parsed: true });
  });

  test('an empty text, which says nothing', () => {
    const { alike, parsedOf } = start(new MessageEvents());
    for (const event of [...BEGUN, text(0, 'x')]) alike.read(event);
    expect(parsedOf(text(0, ''))).toEqual({ events: [], parsed: true });
  });
});

test('a broken event is refused, though it begins like the one before', () => {
  const { alike } = start(new MessageEvents());
  for (const event of [...BEGUN, text(0, 'x')]) alike.read(event);
  const whole = text(0, 'y').toString();
  expect(() => alike.read(Buffer.from(whole.replace('"y"}}', '"y}}')))).toThrow();
  expect(() => alike.read(Buffer.from(whole.replace('y', '\n')))).toThrow();
});

test('a block that has ended takes no more text', () => {
  const { alike } = start(new MessageEvents());
  for (const event of STREAMS.text.slice(0, -2)) alike.read(event);
  expect(() => alike.read(text(0, 'x'))).toThrow(/did not begin/);
});

test('events that are never alike are not looked at for ever', () => {
  const { parsedOf } = start(new ChunkReader(() => undefined));
  const chunk = (id: number, content: string) =>
    Buffer.from(`data: ${JSON.stringify({ id, choices: [{ index: 0, delta: { content } }] })}\n\n`);
  for (let id = 0; id <= 8; id++) parsedOf(chunk(id, 'a'));
  expect(parsedOf(chunk(8, 'b'))).toEqual({ events: [{ kind: 'text', text: 'b' }], parsed: true });
});

describe('figures behind the text', () => {
  const chunk = (said: string, usage: object | null, more = '') =>
    Buffer.from(
      `data: {"candidates":[{"content":{"parts":[{"text":"${said}"}],"role":"model"},"index":0}]` +
        `${usage === null ? '' : `,"usageMetadata":${JSON.stringify(usage)}`},"responseId":"r1"${more}}\r\n\r\n`,
    );
  const told = (output: number) => ({ promptTokenCount: 7, candidatesTokenCount: output, total: 7 + output });
  const startGemini = () => start(new GeminiStream(() => 'call_1'));

  test.each([
    [1, 2],
    [9, 10],
    [2, 100],
    [100, 2],
    [12, 1],
    [19, 11],
  ])('of %i and then %i are read when they are asked for', (first, second) => {
    const { alike, parsedOf } = startGemini();
    alike.read(chunk('a', told(first)));
    expect(parsedOf(chunk('b', told(second)))).toEqual({
      events: [{ kind: 'text', text: 'b' }],
      parsed: false,
    });
    expect(alike.usage).toMatchObject({ input: 7, output: second });
    expect(parsedOf(chunk('c', told(first)))).toMatchObject({ parsed: false });
    expect(alike.usage).toMatchObject({ output: first });
  });

  test('are not lost when what follows tells none', () => {
    const { alike } = startGemini();
    for (const output of [1, 2, 3]) alike.read(chunk('a', told(output)));
    expect(alike.read(chunk('b', null))).toEqual([{ kind: 'text', text: 'b' }]);
    expect(alike.usage).toMatchObject({ output: 3 });
  });

  test.each([
    ['that are no numbers of JSON', chunk('b', told(2)).toString().replace(':2,', ':02,'), true],
    ['beside more of them', chunk('b', { ...told(2), thoughtsTokenCount: 4 }).toString(), false],
    ['that are none', chunk('b', told(2)).toString().replace(':2,', ':null,'), false],
    ['with a fraction', chunk('b', told(2)).toString().replace(':2,', ':2.5,'), false],
    ['before more', chunk('b', told(2), ',"n":1').toString(), false],
    ['cut off', chunk('b', told(2)).toString().slice(0, -30), true],
    ['beside another number', chunk('b', told(2)).toString().replace('"index":0', '"index":1'), false],
  ])('%s are parsed', (_, event, broken) => {
    const { alike, parsedOf } = startGemini();
    alike.read(chunk('a', told(1)));
    if (broken) expect(() => alike.read(Buffer.from(event))).toThrow();
    else
      expect(parsedOf(Buffer.from(event))).toMatchObject({
        events: [{ kind: 'text', text: 'b' }],
        parsed: true,
      });
  });
});

test('whatever figures follow each other, they are told as if each event was parsed', () => {
  const chunk = (figures: readonly number[]) =>
    Buffer.from(
      `data: {"choices":[{"index":0,"delta":{"content":"x"}}],"usage":${JSON.stringify(figures)}}\n\n`,
    );
  const read = (reader: StreamReader, stream: readonly Buffer[]) =>
    stream.map((event) => [reader.read(event), reader.usage]);
  const newReader = () => new ChunkReader((usage) => usage as never);
  const figure = fc.oneof(fc.nat(120), fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(fc.array(fc.tuple(figure, figure), { maxLength: 8 }), (figures) => {
      const stream = figures.map(chunk);
      expect(read(new TemplateEventReader(newReader()), stream)).toEqual(read(newReader(), stream));
    }),
  );
});

test.each(Object.entries(STREAMS))('a stream with %s reads the same', (_, stream) => {
  const twice = stream.flatMap((event) => (event.includes('_delta"') ? [event, event] : [event]));
  const read = (reader: StreamReader) =>
    twice.map((event) => [reader.read(event), reader.usage, reader.ended]);
  expect(read(new TemplateEventReader(new MessageEvents()))).toEqual(read(new MessageEvents()));
});

test('a thought is one still', () => {
  const { alike } = start(new MessageEvents());
  for (const event of STREAMS.thinking.slice(0, 4)) alike.read(event);
  expect(alike.read(thinking(0, 'more'))).toEqual([{ kind: 'thinking', text: 'more' }]);
});
