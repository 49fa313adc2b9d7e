import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import { anthropicProvider } from './anthropic-provider';

const provider = anthropicProvider(
  { id: 'anthropic', baseUrl: 'https://api.anthropic.com/', apiKey: 'secret' },
  new Quota({ limit: 0 }),
);

test('translated requests use an API version that accepts sampling parameters', async () =>
  expect(
    await provider.address({
      upstreamModel: 'claude-x',
      stream: true,
      callerHeaders: {},
      body: Buffer.alloc(0),
    }),
  ).toEqual({
    url: new URL('https://api.anthropic.com/v1/messages'),
    headers: {
      'x-api-key': 'secret',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
  }));

test("callers in Anthropic's format use their own version and betas, and no other headers", async () => {
  const { headers } = await provider.address({
    upstreamModel: 'claude-x',
    stream: false,
    callerHeaders: {
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'a,b',
      'x-api-key': 'sk-gw-theirs',
    },
    body: Buffer.alloc(0),
  });
  expect(headers).toMatchObject({
    'x-api-key': 'secret',
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'a,b',
  });
});

test('a complete message is distinguished from any other body', () => {
  expect(provider.isReply({ type: 'message', content: [] })).toBe(true);
  expect(provider.isReply({ type: 'error', error: {} })).toBe(false);
  expect(provider.isReply({ type: 'message' })).toBe(false);
});
