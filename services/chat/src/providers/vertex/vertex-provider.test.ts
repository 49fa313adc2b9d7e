import { isRejectedCredential } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { parseMessagesRequest } from '../../formats/anthropic/messages-request';
import { generateServiceAccount } from './service-account.fixture';
import type { VertexAccount } from './vertex-endpoint';
import { vertexProvider } from './vertex-provider';

const ACCOUNT = generateServiceAccount();

const connect = (account: Partial<VertexAccount> = {}) =>
  vertexProvider({
    id: 'vertex',
    baseUrl: 'https://aiplatform.googleapis.com',
    apiKey: 'express',
    ...account,
  });

test('a call with an API key uses the express mode, and has the key in a header', async () => {
  const provider = connect({ headers: { 'x-team': 'a' } });
  const call = { upstreamModel: 'gemini-x', stream: true, callerHeaders: {}, body: Buffer.alloc(0) };
  expect(await provider.address(call)).toEqual({
    url: new URL(
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-x:streamGenerateContent?alt=sse',
    ),
    headers: { 'x-goog-api-key': 'express', 'content-type': 'application/json', 'x-team': 'a' },
  });
  expect((await provider.address({ ...call, stream: false, upstreamModel: 'a/b' })).url.pathname).toBe(
    '/v1/publishers/google/models/a%2Fb:generateContent',
  );
});

describe('a secret is refused without quoting it', () => {
  const external = {
    type: 'external_account',
    audience: 'secret-value',
    credential_source: { executable: { command: '/bin/true' } },
  };
  test.each<[string, Partial<VertexAccount>, RegExp]>([
    ['that runs a program', { apiKey: JSON.stringify(external) }, /key of a service account: check type/],
    [
      'of a user',
      { apiKey: JSON.stringify({ type: 'authorized_user', refresh_token: 'secret-value' }) },
      /key of a service account: check type/,
    ],
    [
      'whose private key is damaged',
      { apiKey: generateServiceAccount({ private_key: 'secret-value' }).json },
      /key of a service account: check private_key/,
    ],
    [
      'that is cut',
      { apiKey: ACCOUNT.json.slice(0, -9) },
      /^the secret is not the key of a service account$/,
    ],
    ['of an account without a project', { apiKey: ACCOUNT.json }, /^options.project: required/],
    [
      'of the machine for another host than Google',
      {
        apiKey: 'adc',
        baseUrl: 'https://aiplatform.googleapis.com.attacker.example',
        options: { project: 'p' },
      },
      /only sent to googleapis.com/,
    ],
  ])('%s', (_what, account, reason) => {
    let message = '';
    try {
      connect(account);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(reason);
    expect(message).not.toContain('secret-value');
  });
});

test('the credentials of the machine are accepted for Google', () => {
  const baseUrl = 'https://europe-west1-aiplatform.googleapis.com';
  expect(() => connect({ apiKey: 'adc', baseUrl, options: { project: 'p' } })).not.toThrow();
});

test('a permission that is missing for a model or a file does not reject the credential', () => {
  const refusal = (status: number, code: string) =>
    connect().refusalOf!({
      status,
      headers: {},
      body: [{ error: { code: status, status: code, message: 'm' } }],
    })!;
  expect(isRejectedCredential(refusal(403, 'PERMISSION_DENIED'))).toBe(false);
  expect(isRejectedCredential(refusal(401, 'UNAUTHENTICATED'))).toBe(true);
});

describe('a file by URL', () => {
  const write = (url: string, isResult = false) => {
    const image = { type: 'image', source: { type: 'url', url } };
    const call = { type: 'tool_use', id: 't', name: 'f', input: {} };
    const messages = isResult
      ? [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: [call] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image] }] },
        ]
      : [{ role: 'user', content: [image] }];
    const body = { model: 'a/b', max_tokens: 9, tools: [{ name: 'f', input_schema: {} }], messages };
    const request = parseMessagesRequest(Buffer.from(JSON.stringify(body)), {});
    return connect().writeRequest(request.conversation(), 'gemini-x', 9, new Set()).toString();
  };

  test('of any public host is fetched by Google', () => {
    expect(write('https://example.com/a.png')).toContain('"fileUri":"https://example.com/a.png"');
    expect(write('https://storage.googleapis.com.example.com/a.png')).toContain('fileUri');
  });

  test.each([
    'https://storage.googleapis.com/bucket/a.png?X-Goog-Signature=1',
    'https://bucket.storage.googleapis.com/a.png',
    'https://STORAGE.cloud.google.com./bucket/a.png',
  ])('in Cloud Storage is refused, because it may be ours: %s', (url) => {
    const refused = expect.objectContaining({ code: 'invalid_request' });
    expect(() => write(url)).toThrow(refused);
    expect(() => write(url, true)).toThrow(refused);
  });
});
