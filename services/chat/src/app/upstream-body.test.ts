import { expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import { parseChatRequest } from '../formats/openai/chat-request';
import { isOpenEnded, upstreamBody } from './upstream-body';

const model = {
  slug: 'a/b',
  contextLength: 8_192,
  maxOutputTokens: 4_096,
  capabilities: new Set(),
} as unknown as Model;

function asking(maximum: object, needsMaximum: ChatProvider['needsMaximum']) {
  const body = { model: 'a/b', messages: [{ role: 'user', content: 'hi' }], ...maximum };
  const provider = { wire: 'openai', maxTokensField: 'max_tokens', needsMaximum } as ChatProvider;
  return { request: parseChatRequest(Buffer.from(JSON.stringify(body))), provider };
}

function sent(
  maximum: object,
  needsMaximum: ChatProvider['needsMaximum'],
  lowered?: number,
): Record<string, unknown> {
  const { request, provider } = asking(maximum, needsMaximum);
  const route = { provider, target: { upstreamModel: 'b' } } as Route;
  return JSON.parse(upstreamBody(request, model, route, lowered).toString());
}

test.each([
  ['more than the model has is what it has', { max_tokens: 100_000 }, false, 4_096],
  ['by its other name too', { max_completion_tokens: 100_000 }, false, 4_096],
  ['less is the caller’s', { max_tokens: 10 }, 'always', 10],
  ['none is none where the provider knows its models', {}, false, undefined],
  ['none is the model’s where the provider would go on', {}, 'where_it_fits', 4_096],
  ['none is none where the context ends the reply', { user: 'x'.repeat(17_000) }, 'where_it_fits', undefined],
  [
    'that is the model’s where the provider takes it all the same',
    { user: 'x'.repeat(17_000) },
    'always',
    4_096,
  ],
] as const)('of a maximum output %s', (_, maximum, needsMaximum, expected) => {
  const { max_tokens, max_completion_tokens } = sent(maximum, needsMaximum);
  expect([max_tokens, max_completion_tokens]).toEqual([expected, undefined]);
});

test('the maximum that funds pay for has priority', () => {
  expect(sent({ max_tokens: 100_000 }, 'always', 17).max_tokens).toBe(17);
});

test('a call without a maximum for a provider that needs one is limited by the context only', () => {
  const isOpen = (maximum: object, needsMaximum: ChatProvider['needsMaximum']) => {
    const { request, provider } = asking(maximum, needsMaximum);
    return isOpenEnded(request, model, provider);
  };
  const long = { user: 'x'.repeat(17_000) };
  expect(isOpen(long, 'where_it_fits')).toBe(true);
  expect([isOpen(long, 'always'), isOpen(long, false), isOpen({}, 'where_it_fits')]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isOpen({ ...long, max_tokens: 10 }, 'where_it_fits')).toBe(false);
});
