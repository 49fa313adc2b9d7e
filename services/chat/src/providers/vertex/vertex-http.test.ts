import { verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HttpClient } from '@gateway/http-client';
import { Quota } from '@gateway/quota';
import type { UpstreamError } from '@gateway/upstream';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { callThrough } from '../../app/recorded-call.fixture';
import type { ChatProvider } from '../../domain/chat-provider';
import { parseMessagesRequest } from '../../formats/anthropic/messages-request';
import { parseChatRequest } from '../../formats/openai/chat-request';
import { CloudServer } from '../cloud-server.fixture';
import { readAsAnthropic, readAsOpenAi } from '../received-reply.fixture';
import { recording } from '../recorded-replies.fixture';
import { generateServiceAccount } from './service-account.fixture';
import { vertexAnthropicProvider } from './vertex-anthropic-provider';
import { vertexProvider } from './vertex-provider';

const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token';
const ACCOUNT = generateServiceAccount();
const CALL = { upstreamModel: 'm', stream: false, callerHeaders: {}, body: Buffer.alloc(0) };
const OPTIONS = { project: 'project-x', location: 'europe-west1' };
const OWNER = '/v1/projects/project-x/locations/europe-west1/publishers';
const GEMINI = `${OWNER}/google/models/m`;
const CLAUDE = `${OWNER}/anthropic/models/m`;
const SSE = { 'content-type': 'text/event-stream' };
const IMAGE = { media_type: 'image/png', data: 'iVBORw0KGgo=' };
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

let server: CloudServer;
let upstream: HttpClient;
let gemini: ChatProvider;
let claude: ChatProvider;
beforeEach(async () => {
  server = await new CloudServer().start();
  upstream = new HttpClient();
  const account = { baseUrl: server.url, apiKey: ACCOUNT.json, options: OPTIONS };
  gemini = vertexProvider({ ...account, id: 'vertex' });
  claude = vertexAnthropicProvider({ ...account, id: 'claude' }, new Quota({ limit: 1_000_000 }));
  // Google's library has the address of the token endpoint.
  const send = globalThis.fetch;
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    expect(String(url)).toBe(GOOGLE_TOKENS);
    return send(`${server.url}/token`, init);
  });
  answersToken('token-1');
});
afterEach(() => {
  jest.restoreAllMocks();
  upstream.close();
  server.close();
});

const answersToken = (token: string, seconds = 3_599) =>
  server.answers('/token', { body: { access_token: token, expires_in: seconds, token_type: 'Bearer' } });

const openAiCall = (body: object = {}) =>
  parseChatRequest(
    Buffer.from(JSON.stringify({ model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], ...body })),
  );
const anthropicCall = (body: object = {}, headers = {}) =>
  parseMessagesRequest(
    Buffer.from(
      JSON.stringify({ model: 'a/b', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }], ...body }),
    ),
    headers,
  );

const bodyAt = (path: string): Record<string, unknown> => JSON.parse(server.receivedAt(path)[0]!.body);

/** Returns what the account has signed. */
function verified(assertion: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header, claims, signature] = assertion.split('.') as [string, string, string];
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${claims}`),
    ACCOUNT.publicKey,
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned).toBe(true);
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { header: read(header), claims: read(claims) };
}

const failureOf = async (provider: ChatProvider) => {
  try {
    await provider.address(CALL);
    return undefined;
  } catch (error) {
    return (error as UpstreamError).failure;
  }
};

describe('a service account', () => {
  test('signs one request of a token for calls at the same time, and its token is sent with each of them', async () => {
    server.answers(`${GEMINI}:generateContent`, {
      body: recording('gemini', 'vertex-tool-call.json').toString(),
    });
    const results = await Promise.all([
      callThrough(gemini, upstream, openAiCall()),
      callThrough(gemini, upstream, anthropicCall()),
    ]);
    expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
    const [request, ...others] = server.receivedAt('/token');
    expect(others).toEqual([]);
    const form = new URLSearchParams(request!.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { header, claims } = verified(form.get('assertion')!);
    expect(header).toMatchObject({ alg: 'RS256' });
    expect(claims).toMatchObject({
      iss: ACCOUNT.email,
      aud: GOOGLE_TOKENS,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3_600);
    expect(Math.abs(Number(claims.iat) - Date.now() / 1_000)).toBeLessThan(60);
    const calls = server.receivedAt(`${GEMINI}:generateContent`);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1']);
  });

  test('whose token has expired gets a new one', async () => {
    answersToken('token-1', 30);
    await gemini.address(CALL);
    answersToken('token-2');
    expect(await gemini.address(CALL)).toMatchObject({ headers: { authorization: 'Bearer token-2' } });
  });

  test('whose token is rejected by a call gets a new one for the next', async () => {
    const body = [{ error: { code: 401, message: 'invalid credentials', status: 'UNAUTHENTICATED' } }];
    server.answers(`${CLAUDE}:rawPredict`, { status: 401, body });
    const { error } = await callThrough(claude, upstream, anthropicCall());
    expect(error?.code).toBe('upstream_unavailable');
    answersToken('token-2');
    expect(await claude.address(CALL)).toMatchObject({ headers: { authorization: 'Bearer token-2' } });
  });

  test('that Google does not know is a rejected credential', async () => {
    const body = { error: 'invalid_grant', error_description: 'Invalid grant: account not found' };
    server.answers('/token', { status: 400, body });
    expect(await failureOf(gemini)).toEqual({
      kind: 'status',
      status: 401,
      message: 'token endpoint: invalid_grant: Invalid grant: account not found',
    });
  });

  test('is unreachable if the token endpoint fails, which is asked once per call', async () => {
    server.answers('/token', { status: 503, body: {} });
    expect(await failureOf(gemini)).toMatchObject({ kind: 'unreachable' });
    expect(server.receivedAt('/token')).toHaveLength(1);
    answersToken('token-1');
    expect(await failureOf(gemini)).toBeUndefined();
  });
});

describe('the credentials of the machine', () => {
  const connect = () =>
    vertexProvider({
      id: 'v',
      baseUrl: 'https://aiplatform.googleapis.com',
      apiKey: 'adc',
      options: OPTIONS,
    });
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gateway-adc-'));
    jest.replaceProperty(process, 'env', {
      ...process.env,
      GOOGLE_APPLICATION_CREDENTIALS: path.join(folder, 'credentials.json'),
    });
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const stores = (json: string) => writeFileSync(path.join(folder, 'credentials.json'), json);

  test.each([
    ['a service account', () => ACCOUNT.json],
    [
      'a developer',
      () =>
        JSON.stringify({ type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' }),
    ],
  ])('may be those of %s', async (_what, json) => {
    stores(json());
    expect(await connect().address(CALL)).toMatchObject({ headers: { authorization: 'Bearer token-1' } });
  });

  test('are refused without a request if they name a URL to fetch', async () => {
    stores(
      JSON.stringify({
        type: 'external_account',
        audience: 'a',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: 'https://sts.googleapis.com/v1/token',
        credential_source: { url: `${server.url}/subject` },
      }),
    );
    const failure = await failureOf(connect());
    expect(failure).toMatchObject({ kind: 'unreachable' });
    expect(String((failure as { cause: unknown }).cause)).toMatch(/of a kind that is not supported/);
    expect(server.received).toEqual([]);
  });

  test('that cannot be read make the provider unreachable', async () => {
    expect(await failureOf(connect())).toMatchObject({ kind: 'unreachable', cause: expect.any(Error) });
  });
});

describe('Gemini', () => {
  test.each([
    ['OpenAI', openAiCall({ stream: true }), readAsOpenAi],
    ['Anthropic', anthropicCall({ stream: true }), readAsAnthropic],
  ] as const)("streams thinking and text to a client of %s's format", async (_format, request, read) => {
    const body = recording('gemini', 'vertex-thinking.sse').toString();
    server.answers(`${GEMINI}:streamGenerateContent`, { headers: SSE, body });
    const result = await callThrough(gemini, upstream, request);
    expect(read(result.body!, true)).toMatchObject({ thinking: 'Let me see.', text: 'Ein Satz.' });
    expect(result.billed).toMatchObject([{ tokens: { input: '15', output: '15', reasoning: '12' } }]);
    expect(server.received.at(-1)!.url).toBe(`${GEMINI}:streamGenerateContent?alt=sse`);
  });

  test('receives images and tools', async () => {
    const body = recording('gemini', 'vertex-tool-call.json').toString();
    server.answers(`${GEMINI}:generateContent`, { body });
    const image_url = { url: `data:${IMAGE.media_type};base64,${IMAGE.data}` };
    const result = await callThrough(
      gemini,
      upstream,
      openAiCall({
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
        tools: [{ type: 'function', function: { name: 'find', parameters: SCHEMA } }],
      }),
    );
    expect(readAsOpenAi(result.body!, false).calls).toMatchObject([{ name: 'find', input: { q: 'ä' } }]);
    expect(bodyAt(`${GEMINI}:generateContent`)).toMatchObject({
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: IMAGE.media_type, data: IMAGE.data } }] }],
      tools: [{ functionDeclarations: [{ name: 'find', parametersJsonSchema: SCHEMA }] }],
    });
  });
});

describe('Claude', () => {
  const image = { type: 'image', source: { type: 'base64', ...IMAGE } };

  test("passes a call of its own format through: with Google's version in the body and the model in the URL", async () => {
    const body = recording('anthropic', 'vertex-tool-use.json').toString();
    server.answers(`${CLAUDE}:rawPredict`, { body });
    const asked = {
      messages: [{ role: 'user', content: [image] }],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      tools: [{ name: 'get_weather', input_schema: SCHEMA }],
      max_tokens: 4_000,
    };
    const headers = {
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
    };
    const result = await callThrough(claude, upstream, anthropicCall(asked, headers));
    expect(readAsAnthropic(result.body!, false)).toMatchObject({
      thinking: 'I need the weather.',
      calls: [{ name: 'get_weather', input: { city: 'Zürich' } }],
    });
    expect(bodyAt(`${CLAUDE}:rawPredict`)).toEqual({
      ...asked,
      max_tokens: expect.any(Number),
      anthropic_version: 'vertex-2023-10-16',
    });
    const sent = server.receivedAt(`${CLAUDE}:rawPredict`)[0]!.headers;
    expect(sent).toMatchObject({
      authorization: 'Bearer token-1',
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
    });
    expect(sent).not.toHaveProperty('anthropic-version');
    expect(sent).not.toHaveProperty('x-api-key');
  });

  test("receives a call of OpenAI's format as its own, without a model", async () => {
    server.answers(`${CLAUDE}:rawPredict`, {
      body: recording('anthropic', 'vertex-tool-use.json').toString(),
    });
    const image_url = { url: `data:${IMAGE.media_type};base64,${IMAGE.data}` };
    const result = await callThrough(
      claude,
      upstream,
      openAiCall({
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }],
        max_tokens: 99,
      }),
    );
    expect(readAsOpenAi(result.body!, false).calls).toMatchObject([{ name: 'get_weather' }]);
    expect(bodyAt(`${CLAUDE}:rawPredict`)).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 99,
      stream: false,
      messages: [{ role: 'user', content: [image] }],
      tools: [{ name: 'get_weather', input_schema: SCHEMA }],
    });
  });

  test.each([
    ['OpenAI', openAiCall({ stream: true, stream_options: { include_usage: true } }), readAsOpenAi],
    ['Anthropic', anthropicCall({ stream: true }), readAsAnthropic],
  ] as const)("streams to a client of %s's format", async (_format, request, read) => {
    const body = recording('anthropic', 'vertex-text.sse').toString();
    server.answers(`${CLAUDE}:streamRawPredict`, { headers: SSE, body });
    const result = await callThrough(claude, upstream, request);
    expect(read(result.body!, true)).toMatchObject({ text: 'Paris.', errorCode: undefined });
    expect(result.billed).toMatchObject([{ tokens: { input: '14', cacheRead: '6', output: '4' } }]);
    expect(bodyAt(`${CLAUDE}:streamRawPredict`)).toMatchObject({ stream: true });
  });

  test('refuses a file by URL in both formats before it is sent, also in the result of a tool', () => {
    const url = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const result = { type: 'tool_result', tool_use_id: 't', content: [url] };
    const refused = expect.objectContaining({
      code: 'invalid_request',
      detail: expect.stringContaining('messages[0].content[0]: files by URL are not supported'),
    });
    for (const content of [[url], [result]]) {
      const messages = [{ role: 'user', content }];
      expect(() => claude.passThroughMembers!({ messages }, new Set(), 'm')).toThrow(refused);
    }
    const image_url = { url: 'https://example.com/a.png' };
    const request = openAiCall({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] });
    expect(() => claude.writeRequest(request.conversation(), 'm', 9, new Set())).toThrow(refused);
  });

  test('has the version of a model in its URL as Google writes it', async () => {
    const { url } = await claude.address({ ...CALL, upstreamModel: 'claude-sonnet-4-5@20250929' });
    expect(url.pathname).toBe(`${OWNER}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`);
  });

  test('is not offered with an API key, which Google accepts for its own models only', () => {
    const account = { id: 'claude', baseUrl: server.url, apiKey: 'key', options: OPTIONS };
    expect(() => vertexAnthropicProvider(account, new Quota({ limit: 0 }))).toThrow(
      'the secret is not the key of a service account',
    );
  });
});
