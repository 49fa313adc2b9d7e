import { expect, test } from '@jest/globals';
import { allowsModel } from './allowed-models';

const CHAT = { slug: 'openai/gpt-5.5', outputModalities: ['text'] };
const PICTURES = { slug: 'google/gemini-image', outputModalities: ['text', 'image'] };
const VECTORS = { slug: 'openai/text-embedding-3', outputModalities: ['embedding'] };

test.each([
  [[], CHAT],
  [['openai/gpt-5.5'], CHAT],
  [['anthropic/x', 'openai/*'], CHAT],
  [['*'], CHAT],
  [['*/gpt-5.5'], CHAT],
  [['openai/gpt*5'], CHAT],
  [['openai/gpt-5.5*'], CHAT],
  [['type:chat'], CHAT],
  [['type:chat'], PICTURES],
  [['type:image'], PICTURES],
  [['type:embedding', 'anthropic/*'], VECTORS],
])('the allowlist %j allows the model %j', (allowed, model) => {
  expect(allowsModel(allowed, model)).toBe(true);
});

test.each([
  [['openai/gpt-5'], CHAT],
  [['google/*'], CHAT],
  [['*/gpt-5'], CHAT],
  [['openai/gpt-5.5*5'], CHAT],
  [['penai/*'], CHAT],
  [['type:image'], CHAT],
  [['type:chat'], VECTORS],
  [['type:text'], VECTORS],
  [['type:'], CHAT],
  [['type:*'], CHAT],
])('the allowlist %j does not allow the model %j', (allowed, model) => {
  expect(allowsModel(allowed, model)).toBe(false);
});
