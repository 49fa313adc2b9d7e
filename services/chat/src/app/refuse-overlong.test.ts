import type { CpuTimeQuota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import type { Conversation } from '../domain/conversation';
import { CORPUS } from '../domain/token-corpus.fixture';
import { TokenCounter } from '../domain/token-count';
import { tokenizerCpuQuota } from '../domain/tokenizer-cpu-quota';
import { parseChatRequest } from '../formats/openai/chat-request';
import { refuseOverlong } from './refuse-overlong';

const counting = tokenizerCpuQuota(1_000_000, () => 0);
const requestOf = (content: unknown) =>
  parseChatRequest(Buffer.from(JSON.stringify({ model: 'sim/chat', messages: [{ role: 'user', content }] })));
/** Returns a text of one token per word; the message frame adds seven. */
const words = (tokens: number) => ' word'.repeat(tokens - 7);

function detailOf(content: unknown, contextLength: number, isPublic: boolean): string | undefined {
  const check = { model: { slug: 'sim/chat', contextLength }, isPublic, accountId: 'a' };
  try {
    refuseOverlong({ ...check, request: requestOf(content) }, counting);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request', shouldRetry: false });
    return (error as { detail?: string }).detail;
  }
}

test('a prompt longer than the context is refused with both figures', () => {
  expect(detailOf(words(1_000), 1_000, true)).toBeUndefined();
  expect(detailOf(words(1_001), 1_000, true)).toBe(
    'messages: the prompt has 1001 tokens, which exceeds the 1000-token context of sim/chat',
  );
});

test('an estimated prompt is refused only when four fifths of it exceed the context', () => {
  expect(detailOf(words(1_250), 1_000, false)).toBeUndefined();
  expect(detailOf(words(1_251), 1_000, false)).toBe(
    'messages: the prompt has about 1251 tokens, which exceeds the 1000-token context of sim/chat',
  );
});

test('the count of a prompt with tools is an estimate even in a public encoding', () => {
  const tool = { type: 'function', function: { name: 'find', parameters: { type: 'object' } } };
  const request = (tokens: number) =>
    parseChatRequest(
      Buffer.from(
        JSON.stringify({
          model: 'sim/chat',
          messages: [{ role: 'user', content: words(tokens) }],
          tools: [tool],
        }),
      ),
    );
  const check = { model: { slug: 'sim/chat', contextLength: 1_000 }, isPublic: true, accountId: 'a' };
  expect(() => refuseOverlong({ ...check, request: request(1_100) }, counting)).not.toThrow();
  expect(() => refuseOverlong({ ...check, request: request(1_400) }, counting)).toThrow();
});

test('a prompt with fewer bytes than the context has tokens is not counted, and image bytes never are', () => {
  const request = requestOf(words(1_000));
  const uncounted = {
    ...request,
    conversation(): Conversation {
      throw new Error('counted');
    },
  };
  const counted: string[] = [];
  const spy = { run: () => counted.push('counted') } as unknown as CpuTimeQuota;
  const check = { isPublic: true, accountId: 'a' };
  const model = { slug: 'sim/chat', contextLength: request.size.bodyBytes };
  refuseOverlong({ ...check, request: uncounted, model }, spy);
  expect(counted).toEqual([]);
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(10_000)}` } };
  expect(detailOf([{ type: 'text', text: 'x' }, image], 1_000, true)).toBeUndefined();
});

/** A quota without any time left. */
const none = {
  run: (_account: string, _ms: number, count: (ms: number) => unknown) => count(-1),
} as unknown as CpuTimeQuota;

describe.each(CORPUS)('a long prompt of $name', ({ text }) => {
  const prompt = Array.from({ length: Math.ceil(200_000 / text.length) }, (_, i) => `${i}. ${text}`).join(
    '\n',
  );
  const counter = new TokenCounter(10_000);
  counter.addText(prompt);
  const tokens = counter.tokens + 7;
  const isRefused = (contextLength: number, quota: CpuTimeQuota) => {
    const check = { model: { slug: 'sim/chat', contextLength }, isPublic: true, accountId: 'a' };
    try {
      refuseOverlong({ ...check, request: requestOf(prompt) }, quota);
      return false;
    } catch {
      return true;
    }
  };

  test.each([1.1, 1.2, 1.5, 2, 5])('is refused at %d times the context', (times) => {
    expect(isRefused(Math.floor(tokens / times), counting)).toBe(true);
    expect(isRefused(Math.floor(tokens / times), none)).toBe(true);
  });

  test('is never refused if it fits', () => {
    for (const part of [1, 0.99, 0.9, 0.5])
      for (const quota of [counting, none]) expect(isRefused(Math.ceil(tokens / part), quota)).toBe(false);
  });
});

test('a short prompt is counted without any CPU time left', () => {
  const check = { request: requestOf(words(1_001)), isPublic: true, accountId: 'a' };
  const model = { slug: 'sim/chat', contextLength: 1_000 };
  expect(() => refuseOverlong({ ...check, model }, none)).toThrow();
});
