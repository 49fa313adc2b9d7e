import { expect, test } from '@jest/globals';
import { rateLimitsOf } from './rate-limits';

const AT_MS = Date.parse('2026-11-28T08:00:00Z');

test.each([
  [
    'OpenAI, Azure and Groq',
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    [
      { name: 'requests', remaining: 59, limit: 60, resetMs: 1_000 },
      { name: 'tokens', remaining: 149_984, limit: 150_000, resetMs: 360_000 },
    ],
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-input-tokens-limit': '400000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-28T08:00:30Z',
      'anthropic-ratelimit-requests-remaining': '4',
      'retry-after': '30',
    },
    [
      { name: 'input-tokens', remaining: 0, limit: 400_000, resetMs: 30_000 },
      { name: 'requests', remaining: 4 },
    ],
  ],
  [
    'Mistral',
    { 'x-ratelimit-limit-req-minute': '60', 'x-ratelimit-remaining-req-minute': '12' },
    [{ name: 'req-minute', remaining: 12, limit: 60 }],
  ],
  [
    'limits without a name, with a time of the epoch that is over',
    { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': String(AT_MS - 5_000) },
    [{ name: 'requests', remaining: 7, resetMs: 0 }],
  ],
  [
    'the draft standard',
    { 'ratelimit-remaining': '3', 'ratelimit-limit': '10, 10;w=60' },
    [{ name: 'requests', remaining: 3 }],
  ],
  [
    'values that are no figures',
    { 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-remaining': ['1', '2'] },
    [],
  ],
  ['other headers', { 'x-request-id': 'r', 'x-remaining': '1' }, []],
])('reads the limits of %s', (_provider, headers, limits) => {
  expect(rateLimitsOf(headers, AT_MS)).toEqual(limits);
});

test('reads a bounded number of limits', () => {
  const headers = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`x-ratelimit-remaining-${at}`, '1']),
  );
  expect(rateLimitsOf(headers, AT_MS)).toHaveLength(8);
});
