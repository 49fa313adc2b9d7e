import { describe, expect, test } from '@jest/globals';
import { cohereProvider } from './cohere-provider';

const provider = cohereProvider({
  id: 'cohere',
  baseUrl: 'https://api.cohere.com/',
  apiKey: 'k',
  headers: { 'x-client-name': 'gateway' },
});
const CALL = { upstreamModel: 'command-a', stream: true, callerHeaders: {}, body: Buffer.alloc(0) };

test('calls the chat endpoint of version 2, also for a stream, with the key as a bearer token', async () => {
  const { url, headers } = await provider.address(CALL);
  expect(url.href).toBe('https://api.cohere.com/v2/chat');
  expect(headers).toEqual({
    authorization: 'Bearer k',
    'content-type': 'application/json',
    'x-client-name': 'gateway',
  });
});

test('lists the chat models with their context', async () => {
  const { address, read } = provider.modelListing!;
  expect((await address()).url.href).toBe('https://api.cohere.com/v1/models?endpoint=chat&page_size=1000');
  const models = [
    { name: 'command-a-03-2025', endpoints: ['generate', 'chat'], context_length: 288_000 },
    { name: 'embed-v4.0', endpoints: ['embed'], context_length: 128_000 },
  ];
  expect(read({ models })).toEqual([{ id: 'command-a-03-2025', contextLength: 288_000 }]);
});

describe('the first events of a stream', () => {
  const opening = (type: string, message: object = {}) => provider.readOpening({ type, delta: { message } });

  test.each([
    ['message-start', { role: 'assistant', content: [] }, 'waiting'],
    ['content-start', { content: { type: 'text', text: '' } }, 'waiting'],
    ['content-delta', { content: { text: 'a' } }, 'content'],
    ['content-delta', { content: { thinking: 'a' } }, 'content'],
    ['tool-plan-delta', { tool_plan: 'a' }, 'content'],
    ['tool-call-start', { tool_calls: { id: 'a', function: { name: 'f' } } }, 'content'],
    ['message-end', {}, 'ended'],
  ])('%s with %j is %s', (type, message, expected) => {
    expect(opening(type, message)).toBe(expected);
  });

  test('a reply that fails before its content is an error', () => {
    const event = { type: 'message-end', delta: { finish_reason: 'ERROR' } };
    expect(() => provider.readOpening(event)).toThrow('failure');
  });
});

test('an error body is not a reply', () => {
  expect(provider.isReply({ message: 'invalid api token' })).toBe(false);
  expect(provider.isReply({ message: { role: 'assistant' } })).toBe(true);
});
