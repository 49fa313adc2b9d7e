import { GatewayError } from '@gateway/errors';
import { isObject, type JsonObject, listOf, membersOf, tokenFigure } from '@gateway/upstream';
import type { EmbeddingReply, EmbeddingRequest, InputType } from '../../domain/embedding';
import type { Vector } from '../../domain/vector';
import type { OpenAiQuirks } from './quirks';

type EmbeddingQuirks = Pick<OpenAiQuirks, 'embeddings' | 'refusedHints'>;

/**
 * Writes a request. Floats are every server's default and not asked for: Voyage AI refuses `float`, and some servers refuse the
 * field (BerriAI/litellm#17150, vectorize-io/hindsight#925).
 * @throws GatewayError `invalid_request` for tokens if the provider takes texts only
 */
export function writeEmbeddingRequest(
  { inputs, encoding, dimensions, inputType, user }: EmbeddingRequest,
  upstreamModel: string,
  { embeddings: quirks, refusedHints }: EmbeddingQuirks,
): Buffer {
  if (inputs.kind === 'tokens' && !quirks.acceptsTokens) throw refuseTokens();
  const { list } = inputs;
  return Buffer.from(
    JSON.stringify({
      model: upstreamModel,
      input: list.length === 1 ? list[0] : list,
      ...(encoding === 'base64' && quirks.returnsBase64 && { encoding_format: 'base64' }),
      ...(dimensions !== undefined && { [quirks.dimensionsField]: dimensions }),
      ...(inputType !== undefined && quirks.acceptsInputType && { input_type: voyageType(inputType) }),
      ...(user !== undefined && !refusedHints.includes('user') && { user }),
    }),
  );
}

const refuseTokens = (): GatewayError =>
  new GatewayError('invalid_request', { detail: 'input: this model takes texts, not tokens' });

/** Returns the texts for a provider of another format. @throws GatewayError `invalid_request` for tokens and for too many inputs */
export function textsOf(inputs: EmbeddingRequest['inputs'], maxInputs: number): readonly string[] {
  if (inputs.kind === 'tokens') throw refuseTokens();
  if (inputs.list.length > maxInputs) {
    throw new GatewayError('invalid_request', {
      detail: `input: this model takes at most ${maxInputs} inputs`,
    });
  }
  return inputs.list;
}

/** Voyage AI knows two types (docs.voyageai.com, embeddings API); undefined for the others. */
function voyageType(type: InputType): 'document' | 'query' | undefined {
  if (type === 'search_document' || type === 'document') return 'document';
  return type === 'search_query' || type === 'query' ? 'query' : undefined;
}

/** Voyage AI reports only `total_tokens`. @throws Error for a reply of another shape */
export function readEmbeddingReply(
  { data, usage }: JsonObject,
  vectorAt: (value: unknown) => Vector,
): EmbeddingReply {
  const entries = listOf(data);
  const vectors = new Array<Vector | undefined>(entries.length).fill(undefined);
  for (const [position, entry] of entries.entries()) {
    if (!isObject(entry)) throw new Error('reply does not match its format');
    const { index = position, embedding } = entry;
    const isFree = typeof index === 'number' && index in vectors && vectors[index] === undefined;
    if (!isFree) throw new Error('reply has a wrong index');
    vectors[index] = vectorAt(embedding);
  }
  const { prompt_tokens, total_tokens } = membersOf(usage);
  return {
    vectors: vectors as Vector[],
    inputTokens: tokenFigure(prompt_tokens) || tokenFigure(total_tokens),
  };
}
