import { listOf, membersOf, tokenFigure } from '@gateway/upstream';
import { type TokenUsage, type UsageMode, withAudio } from '../../domain/usage';
import { tokensOf } from '../token-figures';

const COUNTING: UsageMode = { reasoning: 'included', cached: 'included' };

/**
 * Reads `usageMetadata` of a reply or of a stream's chunk, whose figures replace those of earlier chunks; undefined if there
 * is none. `promptTokenCount` includes cache reads, and excludes the input of the provider's own tools;
 * `candidatesTokenCount` excludes thoughts. Details by modality are parts of these figures. Zeros are omitted.
 */
export function readGeminiUsage(usageMetadata: unknown): TokenUsage | undefined {
  const usage = membersOf(usageMetadata);
  const cachedAudio = audioOf(usage.cacheTokensDetails);
  const [prompt, fromTools] = [
    tokenFigure(usage.promptTokenCount),
    tokenFigure(usage.toolUsePromptTokenCount),
  ];
  const [answer, thoughts] = [tokenFigure(usage.candidatesTokenCount), tokenFigure(usage.thoughtsTokenCount)];
  const tokens = tokensOf(
    {
      prompt: sumOf(prompt, prompt === undefined ? undefined : fromTools),
      cache_read: tokenFigure(usage.cachedContentTokenCount) ?? 0,
      cache_write: 0,
      completion: sumOf(answer, thoughts),
      reasoning: thoughts ?? 0,
      total: tokenFigure(usage.totalTokenCount),
    },
    COUNTING,
  );
  if (!tokens) return undefined;
  return withAudio(tokens, {
    input:
      Math.max(0, audioOf(usage.promptTokensDetails) - cachedAudio) +
      audioOf(usage.toolUsePromptTokensDetails),
    cacheRead: cachedAudio,
    output: audioOf(usage.candidatesTokensDetails),
  });
}

/** Returns the sum of the figures that are known; undefined if none is. */
const sumOf = (...figures: readonly (number | undefined)[]): number | undefined =>
  figures.reduce((sum, figure) => (figure === undefined ? sum : (sum ?? 0) + figure), undefined);

/** Returns the tokens of audio among those of all modalities. */
function audioOf(details: unknown): number {
  return listOf(details)
    .map(membersOf)
    .filter(({ modality }) => modality === 'AUDIO')
    .reduce((sum, { tokenCount }) => sum + (tokenFigure(tokenCount) ?? 0), 0);
}
