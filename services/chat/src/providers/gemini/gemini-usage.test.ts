import { expect, test } from '@jest/globals';
import { audioOf } from '../../domain/usage';
import { readGeminiUsage } from './gemini-usage';

const audio = (tokenCount: unknown) => [
  { modality: 'TEXT', tokenCount: 20 },
  { modality: 'AUDIO', tokenCount },
];

test('reads how much of the prompt, of its cached part and of the reply is audio', () => {
  const usage = readGeminiUsage({
    promptTokenCount: 120,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 30,
    promptTokensDetails: audio(100),
    cacheTokensDetails: audio(40),
    candidatesTokensDetails: audio(10),
  });
  expect(usage).toMatchObject({ input: 60, cache_read: 60, output: 30 });
  expect(usage && audioOf(usage)).toEqual({ input: 60, cacheRead: 40, output: 10 });
});

test.each<[string, object]>([
  ['no details', {}],
  ['details without audio', { promptTokensDetails: [{ modality: 'TEXT', tokenCount: 120 }] }],
  ['figures that are no numbers', { promptTokensDetails: audio('many') }],
  ['details that are no list', { promptTokensDetails: { modality: 'AUDIO', tokenCount: 5 } }],
])('%s mean no audio', (_, details) => {
  expect(readGeminiUsage({ promptTokenCount: 120, ...details })).not.toHaveProperty('audio');
});

test('audio is never more than the figure that includes it', () => {
  const usage = readGeminiUsage({ promptTokenCount: 10, promptTokensDetails: audio(1_000) });
  expect(usage && audioOf(usage)).toEqual({ input: 10, cacheRead: 0, output: 0 });
});

test('what the total has beside the thoughts of a reply without other figures is output, but no thinking', () => {
  const usage = readGeminiUsage({ promptTokenCount: 21, thoughtsTokenCount: 60, totalTokenCount: 100 });
  expect(usage).toMatchObject({ input: 21, output: 79, reasoning: 60 });
});
