import { listOf, membersOf, tokenFigure } from '@gateway/upstream';
import { type TokenUsage, withAudio } from '../../domain/usage';

/**
 * Reads `usageMetadata` of a reply or of a stream's chunk, whose figures replace those of earlier chunks; undefined if there
 * is none. `promptTokenCount` includes cache reads, and excludes the input of the provider's own tools;
 * `candidatesTokenCount` excludes thoughts. Details by modality are parts of these figures. Zeros are omitted.
 */
export function readGeminiUsage(usageMetadata: unknown): TokenUsage | undefined {
  const usage = membersOf(usageMetadata);
  const prompt = tokenFigure(usage.promptTokenCount);
  const cached = tokenFigure(usage.cachedContentTokenCount ?? 0);
  const fromTools = tokenFigure(usage.toolUsePromptTokenCount ?? 0);
  const answer = tokenFigure(usage.candidatesTokenCount ?? 0);
  const reasoning = tokenFigure(usage.thoughtsTokenCount ?? 0);
  if (prompt === undefined || cached === undefined || fromTools === undefined) return undefined;
  if (answer === undefined || reasoning === undefined) return undefined;
  const cacheRead = Math.min(prompt, cached);
  const cachedAudio = audioOf(usage.cacheTokensDetails);
  const tokens = {
    input: prompt - cacheRead + fromTools,
    cacheRead,
    cacheWrite: 0,
    output: answer + reasoning,
    reasoning,
  };
  return withAudio(tokens, {
    input:
      Math.max(0, audioOf(usage.promptTokensDetails) - cachedAudio) +
      audioOf(usage.toolUsePromptTokensDetails),
    cacheRead: cachedAudio,
    output: audioOf(usage.candidatesTokensDetails),
  });
}

/** Returns the tokens of audio among those of all modalities. */
function audioOf(details: unknown): number {
  return listOf(details)
    .map(membersOf)
    .filter(({ modality }) => modality === 'AUDIO')
    .reduce((sum, { tokenCount }) => sum + (tokenFigure(tokenCount) ?? 0), 0);
}
