import { describe, expect, test } from '@jest/globals';
import { ReplyWriter } from './reply';
import { O200kTokenizer } from './tokenizer';

const tokenizer = new O200kTokenizer();
const writer = new ReplyWriter(tokenizer);
const NO_LIMIT = Number.POSITIVE_INFINITY;

const joined = (pieces: readonly { kind: string; text: string }[], kind: string) =>
  pieces
    .filter((piece) => piece.kind === kind)
    .map((piece) => piece.text)
    .join('');

test('the default reply is one piece a token', () => {
  const reply = writer.write({}, NO_LIMIT);
  expect(reply.finishReason).toBe('stop');
  expect(reply.pieces).toHaveLength(tokenizer.count(reply.text ?? ''));
  expect(joined(reply.pieces, 'text')).toBe(reply.text);
});

describe('chunks', () => {
  test.each([1, 3, 17, 1_000])('%d', (chunks) => {
    const reply = writer.write({ chunks }, NO_LIMIT);
    expect(reply.pieces).toHaveLength(chunks);
    expect(joined(reply.pieces, 'text')).toBe(reply.text);
  });

  test('a text repeated to fill them costs a token each', () => {
    expect(tokenizer.count(writer.write({ chunks: 5_000 }, NO_LIMIT).text ?? '')).toBe(5_000);
  });

  test('more than the tokens allowed are not made', () => {
    const reply = writer.write({ chunks: 500 }, 40);
    expect(reply).toMatchObject({ finishReason: 'length' });
    expect(reply.pieces).toHaveLength(40);
  });

  test('an empty text has none', () => {
    expect(writer.write({ text: '', chunks: 5 }, NO_LIMIT).pieces).toEqual([]);
  });
});

describe('a maximum of tokens', () => {
  test.each(['plain words, one after the other', '🧑🏽‍🚀🏳️‍🌈'.repeat(9), 'ꙮ漢字é'.repeat(9)])(
    'is kept by %s',
    (text) => {
      const whole = tokenizer.count(text);
      for (let max = 1; max < whole; max++) {
        const reply = writer.write({ text }, max);
        expect(tokenizer.count(reply.text ?? '')).toBeLessThanOrEqual(max);
        expect(text.startsWith(reply.text ?? '?')).toBe(true);
        expect(reply.finishReason).toBe('length');
      }
      expect(writer.write({ text }, whole)).toMatchObject({ text, finishReason: 'stop' });
    },
  );

  test('is spent on the thinking first', () => {
    const reply = writer.write({ thinking: 'one two three', text: 'four five six' }, 5);
    expect(reply).toMatchObject({ thinking: 'one two three', text: 'four five', finishReason: 'length' });
  });
});

describe('a tool call', () => {
  test('has its name first and its arguments in pieces', () => {
    const reply = writer.write({ tool_call: { name: 'weather', arguments: { city: 'Oslo' } } }, NO_LIMIT);
    expect(reply).toMatchObject({ text: null, finishReason: 'tool_calls' });
    expect(reply.pieces[0]).toMatchObject({ kind: 'tool_name', text: 'weather' });
    expect(reply.pieces.length).toBeGreaterThan(3);
    expect(joined(reply.pieces, 'tool_arguments')).toBe('{"city":"Oslo"}');
  });

  test('may follow a text, and be cut', () => {
    const reply = writer.write({ text: 'one moment', tool_call: { name: 'f', arguments: 'abc def ghi' } }, 4);
    expect(reply).toMatchObject({ text: 'one moment', toolCall: { name: 'f' }, finishReason: 'length' });
  });
});

test('a directive has the last word on the finish reason', () => {
  expect(writer.write({ finish_reason: 'content_filter' }, 1).finishReason).toBe('content_filter');
});

test('a lone surrogate becomes a replacement character before it is counted', () => {
  expect(writer.write({ text: 'a\ud800b' }, NO_LIMIT).text).toBe('a\ufffdb');
});
