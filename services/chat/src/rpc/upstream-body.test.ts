import { expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import { parseChatRequest } from '../formats/openai/chat-request';
import { upstreamBody } from './upstream-body';

const model = {
  slug: 'a/b',
  contextLength: 8_192,
  maxOutputTokens: 4_096,
  capabilities: new Set(),
} as unknown as Model;

function sent(maximum: object, needsMaximum: boolean, lowered?: number): Record<string, unknown> {
  const body = { model: 'a/b', messages: [{ role: 'user', content: 'hi' }], ...maximum };
  const provider = { wire: 'openai', maxTokensField: 'max_tokens', needsMaximum } as ChatProvider;
  const route = { provider, target: { upstreamModel: 'b' } } as Route;
  const request = parseChatRequest(Buffer.from(JSON.stringify(body)));
  return JSON.parse(upstreamBody(request, model, route, lowered).toString());
}

test.each([
  ['more than the model has is what it has', { max_tokens: 100_000 }, false, 4_096],
  ['by its other name too', { max_completion_tokens: 100_000 }, false, 4_096],
  ['less is the caller’s', { max_tokens: 10 }, true, 10],
  ['none is none where the provider knows its models', {}, false, undefined],
  ['none is the model’s where the provider would go on', {}, true, 4_096],
  ['none is none where the context ends the reply', { user: 'x'.repeat(17_000) }, true, undefined],
])('of a maximum output %s', (_, maximum, needsMaximum, expected) => {
  const { max_tokens, max_completion_tokens } = sent(maximum, needsMaximum);
  expect([max_tokens, max_completion_tokens]).toEqual([expected, undefined]);
});

test('what funds pay for goes before all', () => {
  expect(sent({ max_tokens: 100_000 }, true, 17).max_tokens).toBe(17);
});
