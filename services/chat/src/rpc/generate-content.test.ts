import { expect, test } from '@jest/globals';
import { modelActionOf } from './generate-content';

test.each([
  ['/v1beta/models/google/gemini-3.5-flash:generateContent', 'google/gemini-3.5-flash', 'generateContent'],
  [
    '/v1/models/google%2Fgemini-3.5-flash%3AstreamGenerateContent',
    'google/gemini-3.5-flash',
    'streamGenerateContent',
  ],
  ['/v1beta/models/models/gemini-3.5-flash:countTokens', 'gemini-3.5-flash', 'countTokens'],
  ['/v1beta/models/local/small:1b:generateContent', 'local/small:1b', 'generateContent'],
  ['/v1beta/openai/gpt-5.5:generateContent', 'openai/gpt-5.5', 'generateContent'],
  ['/v1/openai/gpt-5.5%3AcountTokens', 'openai/gpt-5.5', 'countTokens'],
  ['/v1beta/local/small:1b:embedContent', 'local/small:1b', 'embedContent'],
])('%s is a call of %s', (path, model, action) => {
  expect(modelActionOf(path)).toEqual({ model, action });
});

test.each([
  '/v1/models/openai/gpt-4.1',
  '/v1beta/models/%E0%A4%A',
  '/v1/chat/completions',
  '/v1beta/gpt-5.5:generateContent',
])('%s is no call of a model', (path) => {
  expect(modelActionOf(path)).toBeUndefined();
});
