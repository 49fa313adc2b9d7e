import { describe, expect, test } from '@jest/globals';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { parseGenerateContent } from '../formats/gemini/gemini-request';
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
const keyOfMessages = (fields: object, { headers = {} }: Given = {}) => {
  const body = { model: 'sim/chat', max_tokens: 9, ...fields };
  return sessionKey('a', 'sim/chat', headers, parseMessagesRequest(Buffer.from(JSON.stringify(body)), {}));
};
const keyOfContents = (fields: object) => {
  const call = { model: 'sim/chat', stream: false };
  return sessionKey('a', 'sim/chat', {}, parseGenerateContent(Buffer.from(JSON.stringify(fields)), call));
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

describe('calls of one conversation have one key in Google’s format', () => {
  const contents = (...texts: readonly string[]) =>
    texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'model', parts: [{ text }] }));
  const toolNamed = (name: string) => ({ tools: [{ functionDeclarations: [{ name }] }] });

  test.each(['systemInstruction', 'system_instruction'])('by %s, tools and the first message', (field) => {
    const system = { [field]: { parts: [{ text: LONG }] } };
    const first = keyOfContents({ ...system, contents: contents('Hello') });
    expect(first).toBeDefined();
    expect(keyOfContents({ ...system, contents: contents('Hello', 'Hi', 'Next') })).toBe(first);
    expect(keyOfContents({ ...system, contents: contents('Another question') })).not.toBe(first);
    const others = [
      { [field]: { parts: [{ text: `${LONG}!` }] } },
      { ...system, ...toolNamed('f') },
      { ...system, ...toolNamed('g') },
    ];
    const keys = others.map((fields) => keyOfContents({ ...fields, contents: contents('Hello') }));
    expect(new Set([first, ...keys]).size).toBe(4);
  });
});

test('Claude Code’s billing line, which differs in each call, does not change the key', () => {
  const line = (cch: string) =>
    `x-anthropic-billing-header: cc_version=2.1.77.a1b; cc_entrypoint=cli; cch=${cch};`;
  const block = (text: string) => ({ type: 'text', text });
  const keys = ['0a1b2', 'c3d4e'].flatMap((cch) => [
    keyOfMessages({ system: [block(line(cch)), block(LONG)], messages: turns('Hello') }),
    keyOfMessages({ system: [block(`${line(cch)}\n${LONG}`)], messages: turns('Hello') }),
    keyOfMessages({ system: `${line(cch)}\n${LONG}`, messages: turns('Hello') }),
  ]);
  expect(new Set(keys)).toEqual(new Set([keyOfMessages({ system: LONG, messages: turns('Hello') })]));
});

test('names of the session, the earlier ones first', () => {
  const headers = Object.entries({
    'x-session-id': 'own',
    'x-claude-code-session-id': 'claude',
    'session-id': 'codex',
    session_id: 'older codex',
    'x-gemini-api-privileged-user-id': 'gemini',
  });
  const body = { messages: turns('Hello'), metadata: { user_id: 'user' } };
  const keyOf = (from: number) => keyOfMessages(body, { headers: Object.fromEntries(headers.slice(from)) });
  const keyNamed = (name: string) =>
    keyOfMessages({ messages: turns('Hi') }, { headers: { 'x-session-id': name } });
  for (const [at, [, name]] of [...headers, ['', 'user'] as const].entries())
    expect(keyOf(at)).toBe(keyNamed(name));
  const chat = { messages: turns('Hello'), prompt_cache_key: 'cache' };
  expect(keyOfChat({ ...chat, metadata: { user_id: 'user' } })).toBe(keyNamed('user'));
  expect(keyOfChat(chat)).toBe(keyNamed('cache'));
  expect(keyOfMessages(body, { headers: { 'x-session-id': 'x'.repeat(257) } })).toBe(keyNamed('user'));
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
