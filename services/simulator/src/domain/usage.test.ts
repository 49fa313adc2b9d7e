import { expect, test } from '@jest/globals';
import { ReplyWriter } from './reply';
import { O200kTokenizer } from './tokenizer';
import { usageOf } from './usage';

const tokenizer = new O200kTokenizer();
const writer = new ReplyWriter(tokenizer);

const write = (directive: Parameters<ReplyWriter['write']>[0]) =>
  writer.write(directive, Number.POSITIVE_INFINITY);

test('a whole reply: thinking is part of the completion', () => {
  const reply = write({ thinking: 'one two', text: 'three four five' });
  const sent = reply.pieces.length;
  expect(usageOf({ reply, n: 1, sent }, 9, {}, tokenizer)).toEqual({
    promptTokens: 9,
    completionTokens: 5,
    cachedTokens: 0,
    reasoningTokens: 2,
  });
});

test('a tool call counts its name and its arguments', () => {
  const reply = write({ tool_call: { name: 'weather', arguments: 'one two' } });
  const tokens = (sent: number) => usageOf({ reply, n: 1, sent }, 0, {}, tokenizer).completionTokens;
  expect([0, 1, 2, 3].map(tokens)).toEqual([0, 1, 2, 3]);
});

test('a part of several choices: each counts what it sent', () => {
  const reply = write({ text: 'one two three four' });
  const usage = usageOf({ reply, n: 3, sent: 7 }, 0, {}, tokenizer);
  expect(usage.completionTokens).toBe(3 + 2 + 2);
});

test('a part is counted as the text that was sent', () => {
  const reply = write({ text: 'ꙮ漢字é 🧑🏽‍🚀 and so on' });
  for (let sent = 0; sent <= reply.pieces.length; sent++) {
    const text = reply.pieces
      .slice(0, sent)
      .map((piece) => piece.text)
      .join('');
    expect(usageOf({ reply, n: 1, sent }, 0, {}, tokenizer).completionTokens).toBe(tokenizer.count(text));
  }
});

test('given figures are taken as they are, and by share when cut', () => {
  const reply = write({ chunks: 3 });
  const directive = {
    usage: { prompt_tokens: 100, completion_tokens: 50, cached_tokens: 80, reasoning_tokens: 7 },
  };
  expect(usageOf({ reply, n: 1, sent: 3 }, 9, directive, tokenizer)).toEqual({
    promptTokens: 100,
    completionTokens: 50,
    cachedTokens: 80,
    reasoningTokens: 7,
  });
  expect(usageOf({ reply, n: 1, sent: 2 }, 9, directive, tokenizer)).toMatchObject({
    promptTokens: 100,
    completionTokens: 33,
    reasoningTokens: 4,
  });
});
