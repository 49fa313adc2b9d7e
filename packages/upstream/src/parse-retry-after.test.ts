import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { retryAfterOf, retryAfterSeconds } from './parse-retry-after';

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 10, 23, 12, 0, 0, 400) });
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([
  ['7', 7],
  ['1.2', 2],
  ['0', 1],
  ['999999999', 86_400],
  ['Mon, 23 Nov 2026 12:00:07 GMT', 7],
  ['Monday, 23-Nov-26 12:00:07 GMT', 7],
  ['Mon, 23 Nov 2026 11:00:00 GMT', 1],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
  ['2026-11-23T12:00:07Z', 7],
  ['2026-11-23T13:00:07.2+01:00', 7],
  ['2026-11-23T12:00:07', undefined],
  ['1795435208', 8],
  ['1795435208400', 8],
  ['6m0s', 360],
  ['1h2m3.5s', 3_724],
  ['1d', 86_400],
  ['120ms', 1],
  ['20 seconds', 20],
  ['6m0', undefined],
  ['5 months', undefined],
  ['Mon, 99 Nov 2026 12:00:07 GMT', undefined],
  [undefined, undefined],
])('returns for Retry-After %p the seconds %p', (header, seconds) =>
  expect(retryAfterSeconds(header)).toBe(seconds),
);

test.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after-ms': '2400', 'retry-after': '7' }, 3],
  [{ 'retry-after-ms': '12.5' }, 1],
  [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7],
  [{ 'retry-after-ms': ['1', '2'] }, undefined],
  [{}, undefined],
])('finds in the headers %j of any error the seconds %p', (headers, seconds) =>
  expect(retryAfterOf({ status: 503, headers })).toBe(seconds),
);

/** Limits as `[name, remaining, reset]`, with the names of the headers by `nameOf`. */
const limits = (
  nameOf: (figure: string, limit: string) => string,
  ...entries: [limit: string, remaining: string, reset: string][]
) =>
  Object.fromEntries(
    entries.flatMap(([limit, remaining, reset]) => [
      [nameOf('remaining', limit), remaining],
      [nameOf('reset', limit), reset],
    ]),
  );
const openAi = (figure: string, limit: string) => `x-ratelimit-${figure}-${limit}`;
const anthropic = (figure: string, limit: string) => `anthropic-ratelimit-${limit}-${figure}`;

test.each<[string, Record<string, string>, number | undefined]>([
  ['OpenAI', limits(openAi, ['requests', '0', '8.64s'], ['tokens', '41', '6m0s']), 9],
  ['Groq', limits(openAi, ['requests', '0', '2m59.56s'], ['tokens', '0', '7.66s']), 180],
  ['Azure', limits(openAi, ['requests', '3', '10'], ['tokens', '0', '42']), 42],
  ['Cerebras', limits(openAi, ['requests-day', '91', '33011.3'], ['tokens-minute', '0', '11.4']), 12],
  [
    'Anthropic',
    limits(
      anthropic,
      ['requests', '12', '2026-11-23T12:00:30Z'],
      ['input-tokens', '0', '2026-11-23T12:00:19Z'],
    ),
    19,
  ],
  ['OpenRouter', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795435260000' }, 60],
  ['Mistral', { 'ratelimitbysize-remaining': '-5', 'ratelimitbysize-reset': '27' }, 27],
  ['limits without what remains', { 'x-ratelimit-reset-a': '5s', 'x-ratelimit-reset-b': '60s' }, 5],
  ['limits with room', limits(openAi, ['requests', '9', '1s'], ['tokens', '700', '50s']), undefined],
  ['a reset that cannot be read', { 'x-ratelimit-reset-requests': 'soon' }, undefined],
  ['other headers', { 'x-reset': '9', 'x-ratelimit-resets': '9' }, undefined],
])('waits at a 429 until the exhausted limit has room again: %s', (_provider, headers, seconds) => {
  expect(retryAfterOf({ status: 429, headers })).toBe(seconds);
  expect(retryAfterOf({ status: 429, headers: { ...headers, 'retry-after': '3' } })).toBe(3);
  expect(retryAfterOf({ status: 500, headers })).toBeUndefined();
});

test.each([
  ['Limit 30000, Used 29500, Requested 900. Please try again in 1.8s. Visit the limits page.', 2],
  ['Please try again in 1h4m12.5s.', 3_853],
  ['Please try again in 86ms.', 1],
  ['Call rate limit exceeded. Please retry after 20 seconds.', 20],
  ['Quota exceeded. Please Retry In 1 minute.', 60],
  ['Too many tokens, please wait before trying again.', undefined],
  ['Please try again in a moment.', undefined],
  [{ text: 'try again in 3s' }, undefined],
])('the message %p of a 429 asks to wait %p seconds', (message, seconds) => {
  const headers = limits(openAi, ['tokens', '0', '59s']);
  expect(retryAfterOf({ status: 429, headers: {}, message })).toBe(seconds);
  expect(retryAfterOf({ status: 429, headers, message })).toBe(seconds ?? 59);
  expect(retryAfterOf({ status: 400, headers: {}, message })).toBeUndefined();
});
