import { describe, expect, test } from '@jest/globals';
import { countPrompt, directiveTexts, signedPartsOf } from '../../domain/prompt';
import { redact, sign } from '../../domain/signer';
import { O200kTokenizer } from '../../domain/tokenizer';
import { parseChatRequest } from '../openai/chat-request';
import { ProviderError } from '../provider-error';
import type { ApiHeaders } from './headers';
import { parseCountRequest, parseMessagesRequest } from './messages-request';

const OLD: ApiHeaders = { version: '2023-06-01', beta: false };
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const text = (statusNames: string) => ({ type: 'text', text: statusNames });
const tool = (more: object = {}) => ({ name: 'f', input_schema: { type: 'object' }, ...more });
const request = (more: object) => ({ model: 'm', max_tokens: 4_000, messages: [user('x')], ...more });
const talk = (...messages: unknown[]) => request({ messages });
const thinks = (more: object = {}) =>
  request({ thinking: { type: 'enabled', budget_tokens: 2_000 }, ...more });
const cached = { ...text('x'), cache_control: { type: 'ephemeral' } };
const hour = { ...text('x'), cache_control: { type: 'ephemeral', ttl: '1h' } };
const thought = { type: 'thinking', thinking: 'x', signature: sign('thinking', 'x') };
const image = (source: object) => talk(user([{ type: 'image', source }]));

function refusal(body: unknown, headers: ApiHeaders): string {
  try {
    parseMessagesRequest(body, headers);
  } catch (error) {
    if (error instanceof ProviderError && error.status === 400) return error.message;
    throw error;
  }
  throw new Error('a request is accepted with');
}

describe('a request is refused for', () => {
  test.each<[string, unknown, RegExp]>([
    ['a body that is not an object', [], /object/],
    ['an unknown field', request({ n: 1 }), /^n: Extra inputs/],
    ['a beta field without the header', request({ context_management: {} }), /^context_management: Extra/],
    ['a missing model', { ...request({}), model: undefined }, /^model: Field required/],
    ['a missing max_tokens', { ...request({}), max_tokens: undefined }, /^max_tokens: Field required/],
    ['a maximum of 0', request({ max_tokens: 0 }), /^max_tokens: /],
    ['a temperature above 1', request({ temperature: 1.5 }), /^temperature: range/],
    ['a blank stop sequence', request({ stop_sequences: ['\n'] }), /non-whitespace/],
    ['unknown metadata', request({ metadata: { trace: '1' } }), /^metadata.trace: Extra/],
    ['an unknown service tier', request({ service_tier: 'flex' }), /^service_tier/],
    ['a stream that is not a boolean', request({ stream: 1 }), /^stream/],
    ['an empty list of messages', talk(), /at least one/],
    ['an assistant message at the start', talk(assistant('x'), user('x')), /first message/],
    ['an unknown role', talk({ role: 'tool', content: 'x' }), /^messages.0.role/],
    ['a message with a name', talk({ ...user('x'), name: 'bob' }), /^messages.0.name: Extra/],
    ['empty content', talk(user('')), /non-empty content/],
    ['a message without content', talk({ role: 'user' }), /^messages.0.content: Field required/],
    ['an empty block', talk(user([text('')])), /must be non-empty/],
    ['a blank block', talk(user([text(' ')])), /non-whitespace/],
    ['an unknown block', talk(user([{ type: 'image_url' }])), /Input tag 'image_url'/],
    ['an unknown field of a block', talk(user([{ ...text('x'), id: '1' }])), /content.0.text.id: Extra/],
    ['trailing white space of the assistant', talk(user('x'), assistant('x ')), /trailing whitespace/],
    ['five cache_control fields', talk(user([cached, cached, cached, cached, cached])), /maximum of 4/],
    [
      'a ttl of 1h after a ttl of 5m',
      request({ system: [cached], messages: [user([hour])] }),
      /must not come after/,
    ],
    [
      'thinking at the end of an assistant message',
      talk(user('x'), assistant([thought]), user('y')),
      /final block/,
    ],
    ['an image as data URL', image({ type: 'base64', media_type: 'image/png', data: 'data:x' }), /data/],
    [
      'an image of an unsupported type',
      image({ type: 'base64', media_type: 'image/bmp', data: 'eA==' }),
      /media_type/,
    ],
    ['an image over http', image({ type: 'url', url: 'http://x/' }), /HTTPS/],
    ['a result without a call', talk(user([result('a')])), /unexpected `tool_use_id`/],
    [
      'a result of an earlier call',
      talk(user('x'), assistant([call('a')]), user([result('a')]), assistant('x'), user([result('a')])),
      /unexpected/,
    ],
    [
      'a call without result',
      talk(user('x'), assistant([call('a'), call('b')]), user([result('a')])),
      /immediately after: b\./,
    ],
    ['a call at the end', talk(user('x'), assistant([call('a')])), /immediately after: a\./],
    [
      'a result after a text',
      talk(user('x'), assistant([call('a')]), user([text('y'), result('a')])),
      /immediately after/,
    ],
    [
      'two results of one call',
      talk(user('x'), assistant([call('a')]), user([result('a'), result('a')])),
      /single result/,
    ],
    [
      'two calls with one id',
      talk(user('x'), assistant([call('a'), call('a')]), user([result('a')])),
      /unique/,
    ],
    ['a call by the user', talk(user([call('a')])), /not allowed/],
    ['an id with a dot', talk(user('x'), assistant([call('a.b')]), user([result('a.b')])), /pattern/],
    [
      'a tool input that is a string',
      talk(user('x'), assistant([{ ...call('a'), input: '{}' }]), user([result('a')])),
      /dictionary/,
    ],
    [
      'thinking without a signature',
      talk(user('x'), assistant([{ type: 'thinking', thinking: 'x' }]), user('y')),
      /signature: Field required/,
    ],
    [
      'a wrong signature',
      talk(
        user('x'),
        assistant([{ type: 'thinking', thinking: 'x', signature: sign('thinking', 'y') }]),
        user('y'),
      ),
      /Invalid `signature`/,
    ],
    [
      'redacted thinking with foreign data',
      talk(user('x'), assistant([{ type: 'redacted_thinking', data: 'x' }]), user('y')),
      /Invalid `data`/,
    ],
    ['a tool name with a dot', request({ tools: [tool({ name: 'a.b' })] }), /tools.0.custom.name/],
    ['a tool name too long', request({ tools: [tool({ name: 'a'.repeat(129) })] }), /tools.0.custom.name/],
    ['a tool without schema', request({ tools: [{ name: 'f' }] }), /input_schema: Field required/],
    [
      'a schema that is not an object',
      request({ tools: [{ name: 'f', input_schema: {} }] }),
      /input_schema.type/,
    ],
    ['an OpenAI tool', request({ tools: [{ type: 'custom', function: {} }] }), /custom.name: Field required/],
    ['two tools with one name', request({ tools: [tool(), tool()] }), /unique/],
    ['a tool_choice without tools', request({ tool_choice: { type: 'auto' } }), /while providing tools/],
    [
      'a tool_choice of an unknown tool',
      request({ tools: [tool()], tool_choice: { type: 'tool', name: 'g' } }),
      /not found/,
    ],
    ['a tool_choice that is a string', request({ tools: [tool()], tool_choice: 'auto' }), /^tool_choice: /],
    [
      'a thinking budget below the minimum',
      thinks({ thinking: { type: 'enabled', budget_tokens: 1_023 } }),
      /1024/,
    ],
    ['a thinking budget equal to max_tokens', thinks({ max_tokens: 2_000 }), /must be greater/],
    [
      'thinking and a forced tool',
      thinks({ tools: [tool()], tool_choice: { type: 'any' } }),
      /forces tool use/,
    ],
    [
      'a budget with an open tool turn that began without thinking',
      thinks({ messages: [user('x'), assistant([text('y'), call('a')]), user([result('a'), text('z')])] }),
      /^messages\.1\.content\.0\.type: Expected `thinking`/,
    ],
    [
      'a budget with an open tool turn that began without thinking, even with thinking later',
      thinks({
        messages: [
          user('x'),
          assistant([call('a')]),
          user([result('a')]),
          assistant([thought, call('b')]),
          user([result('b')]),
        ],
      }),
      /^messages\.1\.content\.0\.type: .* found `tool_use`/,
    ],
    ['thinking after a prefilled text', thinks({ messages: [user('x'), assistant('y')] }), /found `text`/],
    ['thinking at a low temperature', thinks({ temperature: 0.5 }), /only be set to 1/],
    ['an unknown effort', request({ output_config: { effort: 'minimal' } }), /effort/],
    [
      'a schema that allows additional properties',
      request({ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }),
      /additionalProperties/,
    ],
  ])('%s', (_, body, message) => {
    expect(refusal(body, OLD)).toMatch(message);
  });

  test.each(['temperature', 'top_p', 'top_k'])('%s with version 2026-10-21', (field) => {
    const body = request({ [field]: 1 });
    expect(refusal(body, { version: '2026-10-21', beta: false })).toBe(
      `${field}: Extra inputs are not permitted`,
    );
    expect(parseMessagesRequest(body, OLD).model).toBe('m');
  });

  test('max_tokens when counting tokens', () => {
    expect(() => parseCountRequest(request({}), OLD)).toThrow('max_tokens: Extra inputs');
  });
});

describe('a request is accepted with', () => {
  test.each<[string, unknown]>([
    ['adjacent messages of one role', talk(user('x'), user('y'), assistant('z'), assistant('z'))],
    [
      'results in two messages',
      talk(user('x'), assistant([call('a'), call('b')]), user([result('a')]), user([result('b'), text('y')])),
    ],
    [
      'a system message between others',
      talk(user('x'), { role: 'system', content: 'y' }, assistant('z'), user('x')),
    ],
    ['an empty prefilled answer', talk(user('x'), assistant(''))],
    [
      'unchanged thinking',
      talk(
        user('x'),
        assistant([
          { type: 'thinking', thinking: 'x', signature: sign('thinking', 'x') },
          { type: 'redacted_thinking', data: redact('x') },
          text('y'),
        ]),
        user('z'),
      ),
    ],
    ['an image', image({ type: 'base64', media_type: 'image/png', data: 'eA==' })],
    [
      "Anthropic's own tool",
      request({ tools: [{ type: 'web_search_20260318', name: 'web_search', max_uses: 1 }] }),
    ],
    ['thinking with a budget', thinks({ temperature: 1 })],
    [
      'a budget with an open tool turn that began with thinking',
      thinks({
        messages: [
          user('x'),
          assistant([call('a')]),
          user([result('a')]),
          assistant('z'),
          user('x'),
          assistant([thought, call('b')]),
          user([result('b')]),
          assistant([call('c')]),
          user([result('c')]),
          { role: 'system', content: 'y' },
        ],
      }),
    ],
    [
      'a budget after an answer without thinking',
      thinks({ messages: [user('x'), assistant('y'), user('z')] }),
    ],
    ['a system prompt of blocks', request({ system: [hour], messages: [user([cached])] })],
  ])('%s', (_, body) => {
    expect(parseMessagesRequest(body, OLD).model).toBe('m');
  });

  test('clear_thinking requires thinking to be enabled', () => {
    const clearing = { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } };
    const beta = { ...OLD, beta: true };
    expect(refusal(request(clearing), beta)).toMatch(/requires `thinking`/);
    expect(refusal(request({ ...clearing, thinking: { type: 'disabled' } }), beta)).toMatch(/requires/);
    expect(parseMessagesRequest(thinks(clearing), beta).model).toBe('m');
    const adaptive = request({ ...clearing, thinking: { type: 'adaptive' } });
    expect(parseMessagesRequest(adaptive, beta).model).toBe('m');
  });

  test('a beta field with the header', () => {
    expect(parseMessagesRequest(request({ context_management: {} }), { ...OLD, beta: true }).model).toBe('m');
  });
});

test('a conversation has the same tokens as in OpenAI’s format', () => {
  const tokenizer = new O200kTokenizer();
  const messages = parseMessagesRequest(
    request({
      system: 'be kind',
      messages: [
        user([text('look'), { type: 'image', source: { type: 'url', url: 'https://x/' } }]),
        assistant([text('so'), { type: 'tool_use', id: 'a', name: 'f', input: { b: 1 } }]),
        user([result('a'), text('and now?')]),
      ],
    }),
    OLD,
  );
  const chat = parseChatRequest({
    model: 'm',
    messages: [
      { role: 'system', content: 'be kind' },
      user([text('look'), { type: 'image_url', image_url: { url: 'https://x/' } }]),
      {
        ...assistant('so'),
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"b":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      user('and now?'),
    ],
  });
  expect(messages.prompt.messages).toEqual(chat.prompt.messages);
  expect(countPrompt(messages.prompt, tokenizer)).toBe(countPrompt(chat.prompt, tokenizer));
  expect([...directiveTexts(messages.prompt)][0]).toBe('and now?');
});

test('thinking with a valid signature counts as signed parts', () => {
  const body = talk(user('x'), assistant([thought, text('y')]), user('z'));
  expect(signedPartsOf(parseMessagesRequest(body, OLD).prompt)).toBe(1);
});
