import { describe, expect, test } from '@jest/globals';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { parseChatRequest } from '../formats/openai/chat-request';
import { sessionKey } from './session-key';

const LONG = 'You answer questions about the handbook. '.repeat(200);
const turns = (...contents: readonly string[]) =>
  contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));

interface Given {
  readonly account?: string;
  readonly slug?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const keyOfChat = (fields: object, { account = 'a', slug = 'sim/chat', headers = {} }: Given = {}) =>
  sessionKey(
    account,
    slug,
    headers,
    parseChatRequest(Buffer.from(JSON.stringify({ model: slug, ...fields }))),
  );
const keyOfMessages = (fields: object) => {
  const body = { model: 'sim/chat', max_tokens: 9, ...fields };
  return sessionKey('a', 'sim/chat', {}, parseMessagesRequest(Buffer.from(JSON.stringify(body)), {}));
};
const system = { role: 'system', content: LONG };

describe('calls of one conversation have one key', () => {
  test('in OpenAI’s format', () => {
    const first = keyOfChat({ messages: [system, ...turns('Hello')] });
    expect(first).toBeDefined();
    expect(keyOfChat({ messages: [system, ...turns('Hello', 'Hi', 'Next')], stream: true })).toBe(first);
    expect(keyOfChat({ messages: [system, ...turns('Another question')] })).not.toBe(first);
    expect(keyOfChat({ messages: [{ ...system, content: `${LONG}!` }, ...turns('Hello')] })).not.toBe(first);
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    expect(keyOfChat({ messages: [system, ...turns('Hello')], tools })).not.toBe(first);
  });

  test('in Anthropic’s format', () => {
    const text = [{ type: 'text', text: LONG, cache_control: { type: 'ephemeral' } }];
    const first = keyOfMessages({ system: text, messages: turns('Hello') });
    expect(first).toBeDefined();
    expect(keyOfMessages({ system: text, messages: turns('Hello', 'Hi', 'Next') })).toBe(first);
    expect(keyOfMessages({ system: text, messages: turns('Another question') })).not.toBe(first);
  });
});

test('a prompt that is too short to be cached has no key, unless the caller names its session', () => {
  const short = { messages: turns('Hello') };
  expect(keyOfChat(short)).toBeUndefined();
  const named = keyOfChat(short, { headers: { 'x-session-id': 'one' } });
  expect(named).toBeDefined();
  expect(keyOfChat({ messages: turns('Other') }, { headers: { 'x-session-id': 'one' } })).toBe(named);
  expect(keyOfChat({ ...short, prompt_cache_key: 'one' })).toBe(named);
  expect(keyOfChat({ ...short, prompt_cache_key: 'two' })).not.toBe(named);
});

test('accounts and models never share a key', () => {
  const fields = { messages: [system, ...turns('Hello')], prompt_cache_key: 'one' };
  const keys = [
    keyOfChat(fields),
    keyOfChat(fields, { account: 'b' }),
    keyOfChat(fields, { slug: 'sim/other' }),
  ];
  expect(new Set(keys).size).toBe(3);
});

test('a short call has a key if its reply is spoken, because later calls may refer to the reply', () => {
  const spoken = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } };
  const first = keyOfChat({ messages: turns('Hello'), ...spoken });
  expect(first).toBeDefined();
  expect(keyOfChat({ messages: turns('Hello', 'Hi', 'Next'), ...spoken })).toBe(first);
});
