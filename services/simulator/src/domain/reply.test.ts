import { describe, expect, test } from '@jest/globals';
import { DEFAULT_OPTIONS, type ReplyOptions, ReplyWriter } from './reply';
import { O200kTokenizer } from './tokenizer';

const tokenizer = new O200kTokenizer();
const writer = new ReplyWriter(tokenizer);
const NO_LIMIT = Number.POSITIVE_INFINITY;

const write = (
  directive: Parameters<ReplyWriter['write']>[0],
  maxTokens: number,
  options: Partial<ReplyOptions> = {},
) => writer.write(directive, { ...DEFAULT_OPTIONS, maxTokens, ...options });

const joined = (pieces: readonly { kind: string; text: string }[], kind: string) =>
  pieces
    .filter((piece) => piece.kind === kind)
    .map((piece) => piece.text)
    .join('');

test('the default reply has one piece per token', () => {
  const reply = write({}, NO_LIMIT);
  expect(reply.finishReason).toBe('stop');
  expect(reply.pieces).toHaveLength(tokenizer.count(reply.text ?? ''));
  expect(joined(reply.pieces, 'text')).toBe(reply.text);
});

describe('chunks', () => {
  test.each([1, 3, 17, 1_000])('%d', (chunks) => {
    const reply = write({ chunks }, NO_LIMIT);
    expect(reply.pieces).toHaveLength(chunks);
    expect(joined(reply.pieces, 'text')).toBe(reply.text);
  });

  test('a text repeated to fill the chunks has one token per chunk', () => {
    expect(tokenizer.count(write({ chunks: 5_000 }, NO_LIMIT).text ?? '')).toBe(5_000);
  });

  test('the maximum of tokens limits the chunks', () => {
    const reply = write({ chunks: 500 }, 40);
    expect(reply).toMatchObject({ finishReason: 'length' });
    expect(reply.pieces).toHaveLength(40);
  });

  test('an empty text has no chunks', () => {
    expect(write({ text: '', chunks: 5 }, NO_LIMIT).pieces).toEqual([]);
  });
});

describe('a maximum of tokens', () => {
  test.each(['plain words, one after the other', '🧑🏽‍🚀🏳️‍🌈'.repeat(9), 'ꙮ漢字é'.repeat(9)])(
    'limits %s',
    (text) => {
      const whole = tokenizer.count(text);
      for (let max = 1; max < whole; max++) {
        const reply = write({ text }, max);
        expect(tokenizer.count(reply.text ?? '')).toBeLessThanOrEqual(max);
        expect(text.startsWith(reply.text ?? '?')).toBe(true);
        expect(reply.finishReason).toBe('length');
      }
      expect(write({ text }, whole)).toMatchObject({ text, finishReason: 'stop' });
    },
  );

  test('is used by the thinking first', () => {
    const reply = write({ thinking: 'one two three', text: 'four five six' }, 5);
    expect(reply).toMatchObject({ thinking: 'one two three', text: 'four five', finishReason: 'length' });
  });
});

describe('a tool call', () => {
  test('has its name first and its arguments in pieces', () => {
    const reply = write({ tool_call: { name: 'weather', arguments: { city: 'Oslo' } } }, NO_LIMIT);
    expect(reply).toMatchObject({ text: null, finishReason: 'tool_calls' });
    expect(reply.pieces[0]).toMatchObject({ kind: 'tool_name', text: 'weather' });
    expect(reply.pieces.length).toBeGreaterThan(3);
    expect(joined(reply.pieces, 'tool_arguments')).toBe('{"city":"Oslo"}');
  });

  test('may follow a text, and be truncated', () => {
    const reply = write({ text: 'one moment', tool_call: { name: 'f', arguments: 'abc def ghi' } }, 4);
    expect(reply).toMatchObject({ text: 'one moment', toolCalls: [{ name: 'f' }], finishReason: 'length' });
  });
});

test('a directive overrides the finish reason', () => {
  expect(write({ finish_reason: 'content_filter' }, 1).finishReason).toBe('content_filter');
});

test('a lone surrogate becomes a replacement character before it is counted', () => {
  expect(write({ text: 'a\ud800b' }, NO_LIMIT).text).toBe('a\ufffdb');
});

test('tool calls follow one another up to the maximum of tokens', () => {
  const tool_call = [{ name: 'f', arguments: 'one two' }, { name: 'g' }, { name: 'f', arguments: 'three' }];
  const { pieces, toolCalls } = write({ tool_call }, NO_LIMIT);
  expect(toolCalls.map(({ name }) => name)).toEqual(['f', 'g', 'f']);
  expect(pieces.map(({ call, kind }) => `${call} ${kind}`)).toEqual([
    '0 tool_name',
    '0 tool_arguments',
    '0 tool_arguments',
    '1 tool_name',
    '1 tool_arguments',
    '2 tool_name',
    '2 tool_arguments',
  ]);
  expect(write({ tool_call }, 4)).toMatchObject({
    toolCalls: [{ name: 'f' }, { name: 'g' }],
    finishReason: 'length',
  });
});

describe('options of the request', () => {
  const toolCall = { name: 'f', arguments: '{"a":1}' };

  test('a forced tool is called unless the directive sets the reply', () => {
    expect(write({}, NO_LIMIT, { toolCall })).toMatchObject({
      text: null,
      toolCalls: [toolCall],
      finishReason: 'tool_calls',
    });
    expect(write({ text: 'no' }, NO_LIMIT, { toolCall })).toMatchObject({ text: 'no', toolCalls: [] });
    expect(write({ tool_call: { name: 'g' } }, NO_LIMIT, { toolCall }).toolCalls[0]?.name).toBe('g');
  });

  test('arguments are one piece if the provider never splits them', () => {
    const { pieces } = write({ chunks: 9 }, NO_LIMIT, { toolCall, wholeArguments: true });
    expect(pieces.map(({ text }) => text)).toEqual(['f', '{"a":1}']);
  });

  test('a text in a requested format is not repeated to fill chunks', () => {
    const reply = write({ chunks: 50 }, NO_LIMIT, { text: '{"a":1}' });
    expect(reply.text).toBe('{"a":1}');
  });

  test.each([
    [['two'], 'one ', 'two'],
    [['three', 'two'], 'one ', 'two'],
    [['four'], 'one two three', null],
  ])('%j ends the text', (stopSequences, text, stopSequence) => {
    const reply = write({ text: 'one two three' }, NO_LIMIT, { stopSequences });
    expect(reply).toMatchObject({ text, stopSequence, finishReason: 'stop' });
  });

  test('a truncated text has no stop sequence, and nothing follows a stopped text', () => {
    const stopSequences = ['three'];
    expect(write({ text: 'one two three' }, 1, { stopSequences })).toMatchObject({ stopSequence: null });
    const directive = { text: 'one two three', tool_call: { name: 'f' } };
    expect(write(directive, NO_LIMIT, { stopSequences }).toolCalls).toEqual([]);
  });

  test('hidden thinking is one piece, disabled thinking none', () => {
    const directive = { thinking: 'one two', text: 'ok' };
    expect(write(directive, NO_LIMIT, { thinking: 'hidden' })).toMatchObject({
      thinking: 'one two',
      thinkingHidden: true,
      pieces: [{ text: 'one two' }, { text: 'ok' }],
    });
    expect(write(directive, NO_LIMIT, { thinking: 'off' })).toMatchObject({ thinking: null, pieces: [{}] });
  });
});
