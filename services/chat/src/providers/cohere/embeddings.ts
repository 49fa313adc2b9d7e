import { type JsonObject, listOf, membersOf, tokenFigure } from '@gateway/upstream';
import type { EmbeddingReply, EmbeddingRequest, InputType } from '../../domain/embedding';
import type { Vector } from '../../domain/vector';
import { textsOf } from '../openai/embeddings';

/** Of `texts` in `/v2/embed`: types of cohere-ai 8.1. */
const MAX_INPUTS = 96;

const INPUT_TYPES: Readonly<Record<InputType, string>> = {
  search_document: 'search_document',
  search_query: 'search_query',
  classification: 'classification',
  clustering: 'clustering',
  document: 'search_document',
  query: 'search_query',
};

/** Cohere requires an input type. @throws GatewayError `invalid_request` for tokens and for too many inputs */
export function writeEmbedRequest(
  { inputs, dimensions, inputType = 'search_document' }: EmbeddingRequest,
  upstreamModel: string,
): Buffer {
  return Buffer.from(
    JSON.stringify({
      model: upstreamModel,
      texts: textsOf(inputs, MAX_INPUTS),
      input_type: INPUT_TYPES[inputType],
      embedding_types: ['float'],
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    }),
  );
}

/** @throws Error for a reply of another shape */
export function readEmbedReply(
  { embeddings, meta }: JsonObject,
  vectorAt: (value: unknown) => Vector,
): EmbeddingReply {
  return {
    vectors: listOf(membersOf(embeddings).float).map(vectorAt),
    inputTokens: tokenFigure(membersOf(membersOf(meta).billed_units).input_tokens),
  };
}
