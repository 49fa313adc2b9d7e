import { expect, test } from '@jest/globals';
import { defaultBaseUrl, optionProblems } from './provider-kinds';

const problems = (options: Record<string, unknown>) => optionProblems('azure-openai', options);

test.each([
  {},
  { resource: 'contoso-eu', api_version: '2024-10-21', deployments: { 'gpt-4.1': 'our_gpt-4.1' } },
  { api_version: '2025-04-01-preview', auth: 'entra', scope: 'https://ai.azure.com/.default' },
  { api_version: 'v1', auth: 'api-key', authority: 'https://login.microsoftonline.us/' },
  { authority: 'http://127.0.0.1:8080' },
])('%j are options of Azure OpenAI', (options) => expect(problems(options)).toEqual([]));

test.each([
  { resource: 'contoso.example/x' },
  { resource: 7 },
  { api_version: 'latest' },
  { deployments: { m: '../x' } },
  { auth: 'managed' },
  { scope: '' },
  { authority: 'http://login.example' },
  { authority: 'https://login.example/tenant' },
  { region: 'eu' },
])('%j are refused as options of Azure OpenAI', (options) => expect(problems(options)).toHaveLength(1));

test('the base URL of Azure OpenAI is that of its resource, and required without one', () => {
  expect(defaultBaseUrl('azure-openai', { resource: 'contoso' })).toBe('https://contoso.openai.azure.com');
  expect(defaultBaseUrl('azure-openai', {})).toBeUndefined();
});
