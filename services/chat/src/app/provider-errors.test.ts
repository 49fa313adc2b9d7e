import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { callThrough } from './recorded-call.fixture';
import { CALLS, providerOf } from './upstream-request.fixture';

const LONG = "This model's maximum context length is 8192 tokens.";
const json = (value: object) => Buffer.from(JSON.stringify(value));
const event = (value: object, name?: string) =>
  Buffer.from(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(value)}\n\n`);

async function* bodyOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes);
}

/** Sends a call to a provider that answers so; returns the error and how it was billed. */
async function failureOf(provider: ChatProvider, request: CallerRequest, status: number, body: Buffer) {
  const upstream = { send: async () => ({ status, headers: {}, body: bodyOf(body) }) };
  const { error, billed, body: received } = await callThrough(provider, upstream, request);
  expect(received).toBeUndefined();
  expect(billed).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', costNano: '0' }]);
  return { code: error!.code, detail: error!.detail, shouldRetry: error!.shouldRetry };
}

const USER = { role: 'user', content: 'Hi' };
const chat = (stream: boolean) => CALLS.chat({ messages: [USER], stream });
const messages = (stream: boolean) => CALLS.messages({ messages: [USER], stream });
const responses = (stream: boolean) => CALLS.responses({ input: 'Hi', stream });
const openAi = providerOf('openai');
const { responses: api, ...chatApi } = providerOf('azure-openai');
const responding = { ...chatApi, ...api!('acct') };
const anthropic = providerOf('anthropic');
const gemini = providerOf('gemini');

const REFUSED = { code: 'invalid_request', detail: LONG, shouldRetry: false };

describe.each(['context_length_exceeded', 'invalid_prompt', 'image_parse_error'])('the code %s', (code) => {
  const error = { code, message: LONG };

  test.each([500, 502, 503])('is the caller’s with status %i', async (status) => {
    for (const stream of [true, false]) {
      for (const request of [chat(stream), messages(stream)])
        expect(await failureOf(openAi, request, status, json({ error }))).toEqual(REFUSED);
      expect(await failureOf(responding, responses(stream), status, json({ error }))).toEqual(REFUSED);
    }
  });

  test('is the caller’s in an event before any content', async () => {
    const response = { id: 'r1', status: 'failed', error, output: [] };
    const created = event({
      type: 'response.created',
      response: { ...response, status: 'in_progress', error: null },
    });
    const failed = event({ type: 'response.failed', response });
    const stream = Buffer.concat([created, failed]);
    expect(await failureOf(responding, responses(true), 200, stream)).toEqual(REFUSED);
    const flat = Buffer.concat([created, event({ type: 'error', ...error }, 'error')]);
    expect(await failureOf(responding, responses(true), 200, flat)).toEqual(REFUSED);
    expect(await failureOf(openAi, chat(true), 200, event({ error }))).toEqual(REFUSED);
    expect(
      await failureOf(openAi, messages(true), 200, event({ error: { ...error, type: 'server_error' } })),
    ).toEqual(REFUSED);
  });

  test('is the caller’s in a response that failed with a success status', async () => {
    const response = json({ id: 'r1', object: 'response', status: 'failed', error, output: [] });
    expect(await failureOf(responding, responses(false), 200, response)).toEqual(REFUSED);
  });
});

/** Bodies that mean an error, although their status is 200. */
const BODIES: readonly (readonly [string, ChatProvider, object])[] = [
  ['OpenRouter', openAi, { error: { code: 429, message: 'Rate limited' } }],
  ['a server like OpenAI', openAi, { error: { type: 'rate_limit_error', message: 'Rate limited' } }],
  ['vLLM', openAi, { object: 'error', message: 'Rate limited', code: 429 }],
  ['a server with a flat error', openAi, { code: 429, message: 'Rate limited' }],
  ['Anthropic', anthropic, { type: 'error', error: { type: 'rate_limit_error', message: 'Rate limited' } }],
  ['Google', gemini, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Rate limited' } }],
];
test.each(BODIES)('an error body of %s with status 200 keeps its meaning', async (_name, provider, body) => {
  for (const stream of [true, false]) {
    for (const request of [chat(stream), messages(stream)])
      expect(await failureOf(provider, request, 200, json(body))).toMatchObject({ code: 'rate_limited' });
  }
});

test.each([
  ['invalid_request', { error: { code: 'context_length_exceeded', message: LONG } }],
  ['invalid_request', { error: { code: 400, message: LONG } }],
  ['upstream_unavailable', { error: { code: 'invalid_api_key', message: 'Incorrect API key provided: x' } }],
  ['upstream_unavailable', { error: { code: 402, message: 'Insufficient credits' } }],
  ['upstream_failed', { error: { code: 503, message: 'Overloaded' } }],
  ['upstream_failed', { error: 'Something went wrong' }],
  ['upstream_failed', { error: { message: 'Something went wrong' } }],
  ['upstream_failed', {}],
])('a body with status 200 is %s: %j', async (code, body) => {
  for (const stream of [true, false]) {
    for (const request of [chat(stream), messages(stream)])
      expect(await failureOf(openAi, request, 200, json(body))).toMatchObject({ code });
  }
});
