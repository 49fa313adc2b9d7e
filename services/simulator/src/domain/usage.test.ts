import { expect, test } from '@jest/globals';
import { DEFAULT_OPTIONS, ReplyWriter } from './reply';
import { O200kTokenizer } from './tokenizer';
import { NO_USAGE, progressiveUsage, usageOf } from './usage';

const tokenizer = new O200kTokenizer();
const writer = new ReplyWriter(tokenizer);

const write = (directive: Parameters<ReplyWriter['write']>[0]) => writer.write(directive, DEFAULT_OPTIONS);

test('the completion of a complete reply includes thinking', () => {
  const reply = write({ thinking: 'one two', text: 'three four five' });
  const sent = reply.pieces.length;
  expect(usageOf({ reply, n: 1, sent }, 9, {}, tokenizer)).toEqual({
    ...NO_USAGE,
    promptTokens: 9,
    completionTokens: 5,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 2,
  });
});

test('a tool call counts its name and its arguments', () => {
  const reply = write({ tool_call: { name: 'weather', arguments: 'one two' } });
  const tokens = (sent: number) => usageOf({ reply, n: 1, sent }, 0, {}, tokenizer).completionTokens;
  expect([0, 1, 2, 3].map(tokens)).toEqual([0, 1, 2, 3]);
});

test('several tool calls are counted separately', () => {
  const reply = write({
    tool_call: [
      { name: 'to', arguments: 'ken' },
      { name: 'token', arguments: 'ken' },
    ],
  });
  const tokens = (sent: number) => usageOf({ reply, n: 1, sent }, 0, {}, tokenizer).completionTokens;
  expect(reply.pieces).toHaveLength(4);
  expect([0, 1, 2, 3, 4].map(tokens)).toEqual([0, 1, 2, 3, 4]);
});

test('a partial reply with several choices counts what each has sent', () => {
  const reply = write({ text: 'one two three four' });
  const usage = usageOf({ reply, n: 3, sent: 7 }, 0, {}, tokenizer);
  expect(usage.completionTokens).toBe(3 + 2 + 2);
});

test('a partial reply is counted by the text sent', () => {
  const reply = write({ text: 'ꙮ漢字é 🧑🏽‍🚀 and so on' });
  for (let sent = 0; sent <= reply.pieces.length; sent++) {
    const text = reply.pieces
      .slice(0, sent)
      .map((piece) => piece.text)
      .join('');
    expect(usageOf({ reply, n: 1, sent }, 0, {}, tokenizer).completionTokens).toBe(tokenizer.count(text));
  }
});

test('usage set by the directive is used as it is, and in proportion for a partial reply', () => {
  const reply = write({ chunks: 3 });
  const directive = {
    usage: {
      prompt_tokens: 100,
      completion_tokens: 50,
      cached_tokens: 80,
      cache_write_tokens: 5,
      reasoning_tokens: 7,
    },
  };
  expect(usageOf({ reply, n: 1, sent: 3 }, 9, directive, tokenizer)).toEqual({
    ...NO_USAGE,
    promptTokens: 100,
    completionTokens: 50,
    cachedTokens: 80,
    cacheWriteTokens: 5,
    reasoningTokens: 7,
  });
  expect(usageOf({ reply, n: 1, sent: 2 }, 9, directive, tokenizer)).toMatchObject({
    promptTokens: 100,
    completionTokens: 33,
    reasoningTokens: 4,
  });
});

test('progressive usage grows to the total: thinking first, and nothing before the first chunk', () => {
  const reply = write({ thinking: 'one two', text: 'three four five' });
  const whole = {
    ...NO_USAGE,
    promptTokens: 9,
    completionTokens: 50,
    cachedTokens: 4,
    cacheWriteTokens: 0,
    reasoningTokens: 20,
  };
  const share = progressiveUsage(whole, reply, 2);
  const told = Array.from({ length: 11 }, (_, sent) => share(sent));
  expect(told.map(({ reasoningTokens }) => reasoningTokens)).toEqual([
    0, 5, 10, 15, 20, 20, 20, 20, 20, 20, 20,
  ]);
  expect(told.map(({ completionTokens }) => completionTokens)).toEqual([
    0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50,
  ]);
  expect(told.at(-1)).toEqual(whole);
});
