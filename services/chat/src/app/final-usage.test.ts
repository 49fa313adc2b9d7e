import { expect, test } from '@jest/globals';

import type { MeteredStream } from '../domain/chat-provider';
import { NO_USAGE } from '../domain/usage';
import { finalUsage, type Sent, tierOf } from './final-usage';

test('a translated call that names no tier is charged at the standard one, because it could not ask for another', () => {
  const sent = (wire: string) => ({ request: { wire: 'openai' }, provider: { wire } }) as unknown as Sent;
  expect(tierOf(sent('anthropic'))).toBe('default');
  expect(tierOf(sent('openai'))).toBeUndefined();
});

const sent = {
  request: { wire: 'openai', size: { audio: { seconds: 3, bytes: 0, replies: 0 } } },
  provider: { wire: 'openai', audioTokensPerSecond: 10, countInput: () => 5 },
  body: Buffer.alloc(0),
} as unknown as Sent;
const streamed = (more: Partial<MeteredStream>) =>
  ({ countOutput: () => 50, audioOutput: 40, ...more }) as unknown as MeteredStream;

test('a broken stream without figures is charged its audio by duration', () => {
  const { usage, source } = finalUsage(sent, streamed({}), false);
  expect(source).toBe('counted');
  expect(usage).toMatchObject({ input: 35, output: 50, audio_input: 30, audio_output: 40 });
  expect(usage.audio_cache_read).toBeUndefined();
});

test('a broken stream is charged the audio that has passed, if that is more than its figures have', () => {
  const audio = { audio_input: 4, audio_cache_read: 1, audio_output: 10 };
  const reported = { ...NO_USAGE, input: 9, cache_read: 2, output: 12, ...audio };
  const { usage } = finalUsage(sent, streamed({ usage: reported }), false);
  expect(usage).toMatchObject({ ...reported, output: 50, audio_output: 40 });
});

test('a complete stream is charged by its figures alone', () => {
  const reported = { ...NO_USAGE, input: 9, output: 12 };
  expect(finalUsage(sent, streamed({ usage: reported }), true)).toEqual({
    usage: reported,
    source: 'provider',
    isOutputKnown: true,
    isContradicted: false,
  });
});

test.each([
  ['nothing', { ...NO_USAGE }, { input: 35, output: 50 }, false],
  ['only its output', { ...NO_USAGE, output: 12 }, { input: 35, output: 12 }, true],
  ['only its prompt', { ...NO_USAGE, cache_read: 9 }, { input: 0, cache_read: 9, output: 50 }, false],
])('a complete stream that reports %s is counted as far as that', (_what, usage, expected, isOutputKnown) => {
  const final = finalUsage(sent, streamed({ usage }), true);
  expect(final.usage).toMatchObject(expected);
  expect(final).toMatchObject({ source: 'counted', isOutputKnown, isContradicted: true });
});

test('no output is no contradiction of a reply without content', () => {
  const usage = { ...NO_USAGE, input: 9 };
  const final = finalUsage(sent, streamed({ usage, countOutput: () => 0, audioOutput: 0 }), true);
  expect(final).toEqual({ usage, source: 'provider', isOutputKnown: true, isContradicted: false });
});
