import { DEFAULT_DIMENSIONS, MAX_DIMENSIONS } from '../../domain/embedding';
import { type EmbeddingRequest, type Embeddings, embeddingRequest } from '../handle-embeddings';
import { readContent } from './contents';
import { invalid } from './error';
import { ProtoReader } from './proto-reader';

const MAX_REQUESTS = 100;
const BODY_FIELDS = new Set(['requests']);
const REQUEST_FIELDS = new Set(['model', 'content', 'taskType', 'title', 'outputDimensionality']);
const TASK_TYPES = new Set([
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
]);

/** Parses a body of `batchEmbedContents`. @throws ProviderError for what the real API refuses */
export function parseBatchEmbed(value: unknown, model: string): EmbeddingRequest {
  const reader = new ProtoReader();
  const requests = reader.list(reader.message(value, BODY_FIELDS, '').requests, 'requests');
  let dimensions = DEFAULT_DIMENSIONS;
  const texts = requests.map((entry, i) => {
    const at = `requests[${i}]`;
    const request = reader.message(entry, REQUEST_FIELDS, at);
    reader.enumeration(request.taskType, TASK_TYPES, `${at}.task_type`);
    const named = reader.text(request.model, `${at}.model`);
    if (named !== `models/${model}`)
      reader.violation(`${at}.model`, `${at}.model: must match the path, models/${model}`);
    dimensions = reader.integer(request.outputDimensionality, `${at}.output_dimensionality`) ?? dimensions;
    const { parts } = readContent(request.content, reader, `${at}.content`);
    return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  });
  reader.check();
  if (texts.length === 0 || texts.length > MAX_REQUESTS)
    throw invalid(`BatchEmbedContentsRequest.requests: at most ${MAX_REQUESTS} requests can be in one batch`);
  if (texts.includes('')) throw invalid('* BatchEmbedContentsRequest.requests: content is empty\n');
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) throw invalid('output_dimensionality is out of range.');
  return embeddingRequest(model, texts, dimensions);
}

/** Without usage, which is optional. */
export const toEmbedContents = ({ vectors }: Embeddings) => ({
  embeddings: vectors.map((values) => ({ values })),
});
