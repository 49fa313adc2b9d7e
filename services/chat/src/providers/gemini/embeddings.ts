import { type JsonObject, listOf, membersOf, tokenFigure } from '@gateway/upstream';
import type { EmbeddingReply, EmbeddingRequest, InputType } from '../../domain/embedding';
import type { Vector } from '../../domain/vector';
import { textsOf } from '../openai/embeddings';

/** Google refuses more: weaviate/weaviate#11277, vercel/ai#16575. */
const MAX_INPUTS = 100;

const TASK_TYPES: Readonly<Record<InputType, string>> = {
  search_document: 'RETRIEVAL_DOCUMENT',
  search_query: 'RETRIEVAL_QUERY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  document: 'RETRIEVAL_DOCUMENT',
  query: 'RETRIEVAL_QUERY',
};

/** Writes a request of `batchEmbedContents`. @throws GatewayError `invalid_request` for tokens and for too many inputs */
export function writeGeminiEmbeddingRequest(
  { inputs, dimensions, inputType, taskType, titles }: EmbeddingRequest,
  upstreamModel: string,
): Buffer {
  const shared = {
    model: `models/${upstreamModel}`,
    ...(inputType !== undefined && { taskType: TASK_TYPES[inputType] }),
    ...(taskType !== undefined && { taskType }),
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  };
  const requests = textsOf(inputs, MAX_INPUTS).map((text, index) => ({
    ...shared,
    content: { parts: [{ text }] },
    ...(titles?.[index] !== undefined && { title: titles[index] }),
  }));
  return Buffer.from(JSON.stringify({ requests }));
}

/** The usage is optional. @throws Error for a reply of another shape */
export function readGeminiEmbeddingReply(
  { embeddings, usageMetadata }: JsonObject,
  vectorAt: (value: unknown) => Vector,
): EmbeddingReply {
  return {
    vectors: listOf(embeddings).map((embedding) => vectorAt(membersOf(embedding).values)),
    inputTokens: tokenFigure(membersOf(usageMetadata).promptTokenCount),
  };
}
