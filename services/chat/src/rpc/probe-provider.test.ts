import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpClient } from '@gateway/http-client';
import { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { environmentAccount } from '@gateway/upstream';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import { KINDS } from '../providers/connect-provider';
import { probeProvider } from './probe-provider';

const SECRET = 'sk-upstream-0123456789';
const NO_MEMORY_LIMIT = new Quota({ limit: 1e9 });
const CONTEXT = { requestId: 'r', signal: new AbortController().signal } as RequestContext;
const COMPLETION = { choices: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }] };

let status: number;
let reply: unknown;
let received: { method?: string; url?: string; headers: http.IncomingHttpHeaders; body: string }[];
const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const { method, url, headers } = request;
  received.push({ ...(method && { method }), ...(url && { url }), headers, body });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
});
const upstream = new HttpClient();
let baseUrl: string;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  status = 200;
  received = [];
});
afterAll(() => {
  upstream.close();
  server.close();
});

function probe(kind: keyof typeof KINDS, { upstreamModel = '', url = baseUrl } = {}) {
  const access = { id: 'p', baseUrl: url, apiKey: SECRET };
  return probeAccount(KINDS[kind](access, NO_MEMORY_LIMIT), upstreamModel);
}

function probeAccount(provider: ChatProvider, upstreamModel = '', models: readonly Model[] = []) {
  const account = environmentAccount(provider);
  const handler = probeProvider({
    providers: { accountsOf: (id) => (id === 'p' ? [account] : []) },
    models: { all: () => models },
    upstream,
    replyMemory: NO_MEMORY_LIMIT,
  });
  return handler(CONTEXT, { provider: 'p', credentialId: '', upstreamModel });
}

test('lists the models of an OpenAI-compatible endpoint with the limits that it names', async () => {
  reply = {
    data: [
      { id: 'a/b', name: 'A B', context_length: 8_192, top_provider: { max_completion_tokens: 1_024 } },
      { id: 'vllm-model', max_model_len: 4_096 },
      { id: 'litellm-model', max_input_tokens: 9_000, max_output_tokens: 900 },
      { id: 'groq-model', context_window: 131_072, max_completion_tokens: 65_536 },
      { id: 'plain', context_length: -1 },
      { id: 7 },
      null,
    ],
  };
  expect(await probe('openai')).toMatchObject({
    credentialId: 'environment',
    models: [
      { id: 'a/b', name: 'A B', contextLength: 8_192, maxOutputTokens: 1_024 },
      { id: 'vllm-model', contextLength: 4_096 },
      { id: 'litellm-model', contextLength: 9_000, maxOutputTokens: 900 },
      { id: 'groq-model', contextLength: 131_072, maxOutputTokens: 65_536 },
      { id: 'plain' },
    ],
  });
  expect(received).toMatchObject([
    { method: 'GET', url: '/models', headers: { authorization: `Bearer ${SECRET}` } },
  ]);
});

test("lists the models of Anthropic's and of Gemini's API, without those that do not generate content", async () => {
  reply = { data: [{ id: 'claude-x', display_name: 'Claude X' }] };
  expect((await probe('anthropic')).models).toEqual([{ id: 'claude-x', name: 'Claude X' }]);
  reply = {
    models: [
      {
        name: 'models/gemini-x',
        displayName: 'Gemini X',
        inputTokenLimit: 1_000,
        outputTokenLimit: 100,
        supportedGenerationMethods: ['generateContent'],
      },
      { name: 'models/embedding-x', supportedGenerationMethods: ['embedContent'] },
    ],
  };
  expect((await probe('gemini')).models).toEqual([
    { id: 'gemini-x', name: 'Gemini X', contextLength: 1_000, maxOutputTokens: 100 },
  ]);
});

test('calls a model with a few output tokens', async () => {
  reply = COMPLETION;
  const { failure, models } = await probe('openai', { upstreamModel: 'm' });
  expect([failure, models]).toEqual([undefined, []]);
  expect(received[0]).toMatchObject({ method: 'POST', url: '/chat/completions' });
  expect(JSON.parse(received[0]!.body)).toMatchObject({ model: 'm', max_tokens: 16 });
});

test("reports the endpoint's refusal in its own words, without the credential that it quotes", async () => {
  status = 401;
  reply = { error: { message: `Incorrect API key provided: ${SECRET}.` } };
  expect((await probe('openai')).failure).toEqual({ status: 401, message: 'Incorrect API key provided: ….' });
});

test('reports a reply of another API and an endpoint that cannot be reached', async () => {
  reply = { hello: 'world' };
  expect((await probe('openai')).failure).toEqual({ status: 0, message: 'the reply has no list of models' });
  const called = await probe('openai', { upstreamModel: 'm' });
  expect(called.failure).toMatchObject({ message: expect.stringMatching(/does not match the API/) });
  const unreachable = await probe('openai', { url: 'http://127.0.0.1:1/v1' });
  expect(unreachable.failure).toEqual({ status: 0, message: 'ECONNREFUSED' });
});

test('reports why no token was issued for the credential', async () => {
  status = 401;
  reply = { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret.' };
  const apiKey = JSON.stringify({ tenant_id: 't', client_id: 'c', client_secret: SECRET });
  const access = { id: 'p', baseUrl, apiKey, options: { authority: baseUrl } };
  expect((await probeAccount(KINDS['azure-openai'](access, NO_MEMORY_LIMIT))).failure).toEqual({
    status: 401,
    message: 'token endpoint: invalid_client: AADSTS7000215: Invalid client secret.',
  });
});

test('fails for a provider without a usable credential', async () => {
  const handler = probeProvider({
    providers: { accountsOf: () => [] },
    models: { all: () => [] },
    upstream,
    replyMemory: NO_MEMORY_LIMIT,
  });
  await expect(
    handler(CONTEXT, { provider: 'p', credentialId: '', upstreamModel: '' }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('embeds a text to probe a model that the catalog has as an embedding model', async () => {
  const targets = [{ provider: 'p', upstreamModel: 'embed' }];
  const models = [{ outputModalities: ['embedding'], targets }] as unknown as Model[];
  const provider = KINDS.openai({ id: 'p', baseUrl, apiKey: SECRET }, NO_MEMORY_LIMIT);
  reply = { data: [{ embedding: [0.5, -0.5], index: 0 }] };
  expect(await probeAccount(provider, 'embed', models)).toMatchObject({ models: [] });
  expect(received).toMatchObject([{ method: 'POST', url: '/embeddings' }]);
  expect(JSON.parse(received[0]!.body)).toEqual({ model: 'embed', input: 'ok' });
  reply = { data: [{ embedding: 'no vector' }] };
  expect((await probeAccount(provider, 'embed', models)).failure?.message).toMatch('malformed');
  reply = COMPLETION;
  expect((await probeAccount(provider, 'chat', models)).failure).toBeUndefined();
});
