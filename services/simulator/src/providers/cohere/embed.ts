import { DEFAULT_DIMENSIONS } from '../../domain/embedding';
import { type EmbeddingRequest, type Embeddings, embeddingRequest } from '../handle-embeddings';
import { isObject } from '../json';
import { isModelName } from '../model-name';
import { cohereError } from './error';

const MAX_TEXTS = 96;
const FIELDS = new Set(['model', 'texts', 'input_type', 'embedding_types', 'output_dimension', 'truncate']);
const INPUT_TYPES = new Set<unknown>(['search_document', 'search_query', 'classification', 'clustering']);
const DIMENSIONS = new Set<unknown>([256, 512, 1_024, 1_536]);

/** @throws ProviderError for what the real API refuses */
export function parseEmbed(body: unknown): EmbeddingRequest {
  if (!isObject(body)) throw invalid('invalid request: expected an object');
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) throw invalid(`unknown field: parameter '${unknown}' is not a valid field`);
  const {
    model,
    texts,
    input_type,
    embedding_types,
    output_dimension: dimensions = DEFAULT_DIMENSIONS,
  } = body;
  if (!isModelName(model)) throw invalid('model is required');
  if (!isTexts(texts)) throw invalid(`invalid request: texts must have 1 to ${MAX_TEXTS} items`);
  if (!INPUT_TYPES.has(input_type)) throw invalid('invalid request: valid input_type must be provided');
  if (!Array.isArray(embedding_types) || embedding_types.some((type) => type !== 'float'))
    throw invalid('embedding_types: only float is simulated');
  if (!DIMENSIONS.has(dimensions)) throw invalid('output_dimension must be one of 256, 512, 1024, 1536');
  return embeddingRequest(model, texts, dimensions as number);
}

const isTexts = (texts: unknown): texts is string[] =>
  Array.isArray(texts) &&
  texts.length > 0 &&
  texts.length <= MAX_TEXTS &&
  texts.every((text) => typeof text === 'string' && text !== '');

const invalid = (message: string) => cohereError(400, message);

export const toEmbedReply = ({ vectors, inputTokens }: Embeddings, id: string) => ({
  id,
  embeddings: { float: vectors },
  meta: { api_version: { version: '2' }, billed_units: { input_tokens: inputTokens } },
});
