import { HttpClient } from '@gateway/http-client';
import { Quota } from '@gateway/quota';
import type { UpstreamError } from '@gateway/upstream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { callThrough } from '../../app/recorded-call.fixture';
import type { ChatProvider } from '../../domain/chat-provider';
import { parseMessagesRequest } from '../../formats/anthropic/messages-request';
import { parseChatRequest } from '../../formats/openai/chat-request';
import { CloudServer } from '../cloud-server.fixture';
import { readAsAnthropic, readAsOpenAi } from '../received-reply.fixture';
import { recording } from '../recorded-replies.fixture';
import { azureOpenAiProvider } from './azure-openai-provider';

const CHAT = '/openai/v1/chat/completions';
const TOKEN = '/contoso/oauth2/v2.0/token';
const PRINCIPAL = { tenant_id: 'contoso', client_id: 'app-1', client_secret: 'client-secret-value' };
const CALL = { upstreamModel: 'm', stream: false, callerHeaders: {}, body: Buffer.alloc(0) };
const COMPLETION = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

let server: CloudServer;
let upstream: HttpClient;
beforeEach(async () => {
  server = await new CloudServer().start();
  upstream = new HttpClient();
});
afterEach(() => {
  upstream.close();
  server.close();
});

const connect = (apiKey: string, options: object = {}): ChatProvider =>
  azureOpenAiProvider(
    { id: 'azure', baseUrl: server.url, apiKey, options: { authority: server.url, ...options } },
    new Quota({ limit: 1_000_000 }),
  );
const principal = (options: object = {}) => connect(JSON.stringify(PRINCIPAL), options);

const answersToken = (token: string, more: object = {}) =>
  server.answers(TOKEN, { body: { token_type: 'Bearer', access_token: token, expires_in: 3_599, ...more } });

const openAiCall = (body: object = {}) =>
  parseChatRequest(
    Buffer.from(JSON.stringify({ model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], ...body })),
  );
const anthropicCall = (body: object = {}) =>
  parseMessagesRequest(
    Buffer.from(
      JSON.stringify({ model: 'a/b', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }], ...body }),
    ),
    {},
  );

const failureOf = async (provider: ChatProvider) => {
  try {
    await provider.address(CALL);
    return undefined;
  } catch (error) {
    return (error as UpstreamError).failure;
  }
};

describe('a service principal', () => {
  test('is sent once to its tenant for calls at the same time, and its token with each of them', async () => {
    answersToken('token-1');
    server.answers(CHAT, { body: COMPLETION });
    const provider = principal({ scope: 'https://ai.azure.com/.default' });
    const results = await Promise.all([
      callThrough(provider, upstream, openAiCall()),
      callThrough(provider, upstream, anthropicCall()),
      callThrough(provider, upstream, openAiCall()),
    ]);
    expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    const [request, ...others] = server.receivedAt(TOKEN);
    expect(others).toEqual([]);
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app-1',
      client_secret: 'client-secret-value',
      scope: 'https://ai.azure.com/.default',
    });
    const calls = server.receivedAt(CHAT);
    expect(calls).toHaveLength(3);
    for (const { headers } of calls) {
      expect(headers.authorization).toBe('Bearer token-1');
      expect(headers['api-key']).toBeUndefined();
    }
  });

  test('has the scope of Cognitive Services unless another is set', async () => {
    answersToken('token-1');
    await principal().address(CALL);
    expect(new URLSearchParams(server.received[0]!.body).get('scope')).toBe(
      'https://cognitiveservices.azure.com/.default',
    );
  });

  test('whose token has expired gets a new one', async () => {
    answersToken('token-1', { expires_in: '30' });
    const provider = principal();
    await provider.address(CALL);
    answersToken('token-2');
    expect(await provider.address(CALL)).toMatchObject({ headers: { authorization: 'Bearer token-2' } });
  });

  test('whose token is rejected by a call gets a new one for the next', async () => {
    answersToken('token-1');
    server.answers(CHAT, { status: 401, body: { error: { code: '401', message: 'Access denied' } } });
    const provider = principal();
    const { error } = await callThrough(provider, upstream, openAiCall());
    expect(error?.code).toBe('upstream_unavailable');
    answersToken('token-2');
    expect(await provider.address(CALL)).toMatchObject({ headers: { authorization: 'Bearer token-2' } });
  });

  test('that Entra rejects is a rejected credential, and the caller learns nothing about it', async () => {
    const body = { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret.' };
    server.answers(TOKEN, { status: 401, body });
    const provider = principal();
    expect(await failureOf(provider)).toMatchObject({ kind: 'status', status: 401 });
    const { error, billed } = await callThrough(provider, upstream, openAiCall());
    expect(error).toMatchObject({ code: 'upstream_unavailable', detail: undefined });
    expect(billed).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED' }]);
    expect(server.receivedAt(CHAT)).toEqual([]);
  });

  test.each([{ status: 503, body: {} }, { body: { token_type: 'Bearer' } }])(
    'is unreachable with the answer %j, and the next call asks again',
    async (answer) => {
      server.answers(TOKEN, answer);
      const provider = principal();
      expect(await failureOf(provider)).toMatchObject({ kind: 'unreachable' });
      answersToken('token-1');
      expect(await failureOf(provider)).toBeUndefined();
    },
  );
});

describe('a call of a dated version with a key', () => {
  const path = '/openai/deployments/our-gpt/chat/completions';
  const dated = () =>
    connect('azure-key', { api_version: '2025-04-01-preview', deployments: { m: 'our-gpt' } });

  test('has the key in its header and the version in its query', async () => {
    server.answers(path, { body: COMPLETION });
    await callThrough(dated(), upstream, openAiCall());
    expect(server.received).toMatchObject([
      { url: `${path}?api-version=2025-04-01-preview`, headers: { 'api-key': 'azure-key' } },
    ]);
    expect(server.received[0]!.headers.authorization).toBeUndefined();
  });

  test('waits as many milliseconds as Azure asks for, in whole seconds', async () => {
    const headers = { 'retry-after-ms': '2400', 'retry-after': '9' };
    server.answers(path, { status: 429, headers, body: { error: { code: '429', message: 'Too many' } } });
    const { error } = await callThrough(dated(), upstream, openAiCall());
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3 });
  });
});

describe('a streamed reply with the results of an asynchronous filter', () => {
  beforeEach(() => {
    server.answers(CHAT, {
      headers: { 'content-type': 'text/event-stream' },
      body: recording('openai', 'azure-async-filter.sse').toString(),
    });
  });

  test("has in OpenAI's format only chunks whose choices have a delta", async () => {
    const { body } = await callThrough(connect('azure-key'), upstream, openAiCall({ stream: true }));
    const chunks = body!.split('\n\n').filter((event) => event.startsWith('data: {'));
    const choices = chunks.map((event) => JSON.parse(event.slice(6)).choices);
    expect(choices).toHaveLength(4);
    for (const [choice] of choices) expect(choice.delta).toEqual(expect.any(Object));
    expect(readAsOpenAi(body!, true)).toMatchObject({ text: 'Color is a perception.', finish: 'stop' });
    expect(JSON.parse(server.received[0]!.body).stream_options).toEqual({ include_usage: true });
  });

  test("is complete in Anthropic's format", async () => {
    const { body, billed } = await callThrough(
      connect('azure-key'),
      upstream,
      anthropicCall({ stream: true }),
    );
    expect(readAsAnthropic(body!, true)).toMatchObject({
      text: 'Color is a perception.',
      finish: 'end_turn',
    });
    expect(billed).toMatchObject([{ tokens: { input: '20', output: '5' } }]);
  });
});

test('images, tools and an effort reach Azure in both formats', async () => {
  server.answers(CHAT, { body: COMPLETION });
  const provider = connect('azure-key');
  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  const image_url = { url: 'data:image/png;base64,iVBORw0KGgo=' };
  const asked = {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
    tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }],
    reasoning_effort: 'low',
  };
  await callThrough(provider, upstream, openAiCall(asked), ['reasoning', 'effort_low']);
  await callThrough(
    provider,
    upstream,
    anthropicCall({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
      ],
      tools: [{ name: 'weather', input_schema: schema }],
      output_config: { effort: 'low' },
    }),
    ['reasoning', 'effort_low'],
  );
  const bodies = server.received.map(({ body }) => JSON.parse(body));
  expect(bodies).toHaveLength(2);
  for (const body of bodies) expect(body).toMatchObject({ ...asked, model: 'm' });
});
