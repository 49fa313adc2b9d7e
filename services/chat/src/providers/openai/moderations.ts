import { GatewayError } from '@gateway/errors';
import { isObject, type JsonObject, listOf, membersOf, textOf, tokenFigure } from '@gateway/upstream';
import type { ModerationProtocol } from '../../domain/moderation';
import type { UpstreamAddress } from '../../domain/upstream-address';

/** How its moderations deviate. */
export interface ModerationQuirks {
  /** It takes texts only, no images. */
  readonly onlyTexts: boolean;
}

/** A provider's API of moderations. */
export const moderationsApi = (
  address: UpstreamAddress,
  { onlyTexts }: ModerationQuirks,
): ModerationProtocol => ({
  address: () => address,
  writeRequest({ input, texts, images, results }, model) {
    if (onlyTexts && images > 0)
      throw new GatewayError('invalid_request', { detail: 'input: this model takes texts, not images' });
    if (!onlyTexts) return Buffer.from(JSON.stringify({ model, input }));
    // Parts have one result.
    const written = results === 1 ? texts.join('\n') : texts;
    return Buffer.from(JSON.stringify({ model, input: written }));
  },
  readReply({ id, results, usage }) {
    const { prompt_tokens, total_tokens } = membersOf(usage);
    return {
      id: textOf(id),
      results: listOf(results).map(readResult),
      inputTokens: tokenFigure(prompt_tokens) || tokenFigure(total_tokens),
    };
  },
});

/** Mistral's results lack what follows from the categories. @throws Error for a result of another shape */
function readResult(result: unknown): JsonObject {
  const { categories, category_scores, ...others } = membersOf(result);
  if (!isObject(categories) || !isObject(category_scores)) throw new Error('reply does not match its format');
  const flagged = Object.values(categories).includes(true);
  const types = Object.fromEntries(Object.keys(categories).map((category) => [category, ['text']]));
  return { flagged, category_applied_input_types: types, ...others, categories, category_scores };
}
