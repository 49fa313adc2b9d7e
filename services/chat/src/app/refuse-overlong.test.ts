import type { CpuTimeQuota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import type { Conversation } from '../domain/conversation';
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

test('a prompt that cannot be counted in time is refused if the counted part exceeds the context', () => {
  const none = { run: (_account: string, _ms: number, count: (ms: number) => unknown) => count(-1) };
  const request = requestOf(words(5_000));
  const check = { request, isPublic: true, accountId: 'a' };
  const model = { slug: 'sim/chat', contextLength: 1_000 };
  expect(() => refuseOverlong({ ...check, model }, none as unknown as CpuTimeQuota)).not.toThrow();
});
