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
  ['is lowered to the maximum of the model', { max_tokens: 100_000 }, false, 4_096],
  ['is lowered under the name max_completion_tokens too', { max_completion_tokens: 100_000 }, false, 4_096],
  ['is unchanged below the maximum of the model', { max_tokens: 10 }, 'always', 10],
  ['stays absent for a provider that knows the maximum', {}, false, undefined],
  ['is set to the maximum of the model if that fits the context', {}, 'where_it_fits', 4_096],
  [
    'stays absent if the context limits the reply first',
    { user: 'x'.repeat(17_000) },
    'where_it_fits',
    undefined,
  ],
  [
    'is set to the maximum of the model beyond the context if the provider accepts that',
    { user: 'x'.repeat(17_000) },
    'always',
    4_096,
  ],
] as const)('the maximum output sent upstream: %s', (_, maximum, needsMaximum, expected) => {
  const { max_tokens, max_completion_tokens } = sent(maximum, needsMaximum);
  expect([max_tokens, max_completion_tokens]).toEqual([expected, undefined]);
});

test('the maximum that the hold pays for has priority', () => {
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
