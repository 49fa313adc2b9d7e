import { expect, test } from '@jest/globals';
import { modelFamily } from './model-family';

test.each([
  ['anthropic.claude-3-5-haiku-20241022-v1:0', 'claude'],
  ['global.anthropic.claude-opus-4-7', 'claude'],
  ['us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude'],
  ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5', 'claude'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0', 'nova'],
  ['amazon.titan-text-express-v1', 'other'],
  ['openai.gpt-oss-20b-1:0', 'gpt-oss'],
  ['us.openai.gpt-5.6-terra', 'gpt'],
  ['mistral.ministral-3-8b-instruct', 'mistral'],
  ['arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', 'other'],
])('%s is of the family %s', (model, family) => expect(modelFamily(model, new Set())).toBe(family));

test.each(['thinking_budget', 'adaptive_thinking'])('an unnamed model with %s is Claude', (capability) =>
  expect(modelFamily('arn:aws:bedrock:us-east-1:1:provisioned-model/abc', new Set([capability]))).toBe(
    'claude',
  ),
);
