import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { parseMessagesRequest } from '../../formats/anthropic/messages-request';
import { type AzureAccount, azureOpenAiProvider } from './azure-openai-provider';

const PRINCIPAL = { tenant_id: 'contoso.example', client_id: 'app', client_secret: 'secret-value' };

const connect = (account: Partial<AzureAccount> = {}) =>
  azureOpenAiProvider(
    { id: 'azure', baseUrl: 'https://r.openai.azure.com', apiKey: 'azure-key', ...account },
    new Quota({ limit: 0 }),
  );

const addressOf = (account: Partial<AzureAccount>, upstreamModel = 'gpt-4.1') =>
  connect(account).address({ upstreamModel, stream: false, callerHeaders: {}, body: Buffer.alloc(0) });

describe('a call', () => {
  test('uses the v1 API and the key in the header of Azure', async () => {
    expect(await addressOf({ headers: { 'foundry-features': 'x' } })).toEqual({
      url: new URL('https://r.openai.azure.com/openai/v1/chat/completions'),
      headers: { 'api-key': 'azure-key', 'content-type': 'application/json', 'foundry-features': 'x' },
    });
  });

  test.each(['https://r.openai.azure.com/openai/v1/', 'https://r.openai.azure.com/openai'])(
    'reaches the API of the base URL %s',
    async (baseUrl) => {
      const { url } = await addressOf({ baseUrl });
      expect(url.href).toBe('https://r.openai.azure.com/openai/v1/chat/completions');
    },
  );

  test('of a dated version has the deployment in the URL', async () => {
    const options = { api_version: '2024-10-21', deployments: { 'gpt-4.1': 'our gpt' } };
    expect(() => connect({ options })).toThrow(/deployment/);
    const valid = { ...options, deployments: { 'gpt-4.1': 'our-gpt' } };
    const path = (deployment: string) =>
      `https://r.openai.azure.com/openai/deployments/${deployment}/chat/completions?api-version=2024-10-21`;
    expect((await addressOf({ options: valid })).url.href).toBe(path('our-gpt'));
    expect((await addressOf({ options: valid }, 'o4/x?y')).url.href).toBe(path('o4%2Fx%3Fy'));
    expect((await addressOf({ options: valid }, 'constructor')).url.href).toBe(path('constructor'));
  });

  test('names the deployment in the body, translated and passed through', () => {
    const provider = connect({ options: { deployments: { 'gpt-4.1': 'our-gpt' } } });
    const messages = [{ role: 'user', content: 'Hi' }];
    const request = parseMessagesRequest(
      Buffer.from(JSON.stringify({ model: 'a/b', max_tokens: 9, messages })),
      {},
    );
    const written = (model: string) =>
      JSON.parse(provider.writeRequest(request.conversation(), model, 9, new Set()).toString());
    expect(written('gpt-4.1')).toEqual({ model: 'our-gpt', messages, max_completion_tokens: 9 });
    expect(written('gpt-5')).toMatchObject({ model: 'gpt-5' });
    const members = provider.passThroughMembers!({ messages }, new Set(), 'gpt-4.1');
    expect(members.get('model')).toBe('"our-gpt"');
  });

  test('with a file is refused in both formats: Azure has no part for it', () => {
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } };
    const messages = [{ role: 'user', content: [file] }];
    expect(() => connect().passThroughMembers!({ messages }, new Set(), 'm')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    const source = { type: 'base64', media_type: 'application/pdf', data: 'AA==' };
    const body = {
      model: 'a/b',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'document', source }] }],
    };
    const request = parseMessagesRequest(Buffer.from(JSON.stringify(body)), {});
    expect(() => connect().writeRequest(request.conversation(), 'm', 9, new Set())).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

test('the maximum output has the name that the deployment takes', () => {
  expect(connect().maxTokensField).toBe('max_completion_tokens');
  expect(connect({ options: { max_tokens_field: 'max_tokens' } }).maxTokensField).toBe('max_tokens');
});

test('the models of a resource are listed by the v1 API, whatever the version of calls', async () => {
  const { modelListing } = connect({ options: { api_version: '2024-10-21' } });
  expect(await modelListing!.address()).toMatchObject({
    url: new URL('https://r.openai.azure.com/openai/v1/models'),
    headers: { 'api-key': 'azure-key' },
  });
  expect(modelListing!.read({ data: [{ id: 'gpt-4.1', object: 'model' }] })).toEqual([{ id: 'gpt-4.1' }]);
});

test.each<[string, Partial<AzureAccount>]>([
  ['a principal without a secret', { apiKey: JSON.stringify({ ...PRINCIPAL, client_secret: undefined }) }],
  ['a tenant that would change the URL', { apiKey: JSON.stringify({ ...PRINCIPAL, tenant_id: '../x' }) }],
  ['JSON that is cut', { apiKey: JSON.stringify(PRINCIPAL).slice(0, -2) }],
  ['a key where Entra is expected', { options: { auth: 'entra' }, apiKey: 'secret-value' }],
  [
    'a principal where a key is expected',
    { options: { auth: 'api-key' }, apiKey: JSON.stringify(PRINCIPAL) },
  ],
])('%s is refused without quoting the secret', (_what, account) => {
  let message = '';
  try {
    connect(account);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toMatch(/^the secret is not /);
  expect(message).not.toContain('secret-value');
});
