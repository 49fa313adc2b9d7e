import { DEFAULT_DIMENSIONS, type EmbeddingInput, MAX_DIMENSIONS } from '../../domain/embedding';
import { type EmbeddingRequest, type Embeddings, embeddingRequest } from '../handle-embeddings';
import { isObject } from '../json';
import { isModelName } from '../model-name';
import { invalid, missing, wrongType } from './error';
import type { Quirks } from './quirks';

const MAX_INPUTS = 2_048;

/** @throws ProviderError for what the real API refuses */
export function parseEmbeddings(body: unknown, { mistralFormat }: Quirks): EmbeddingRequest {
  if (!isObject(body)) throw invalid('Invalid body: expected an object.');
  const dimensionsField = mistralFormat ? 'output_dimension' : 'dimensions';
  const known = new Set([
    'model',
    'input',
    'encoding_format',
    dimensionsField,
    mistralFormat ? 'output_dtype' : 'user',
  ]);
  const unknown = Object.keys(body).find((field) => !known.has(field));
  if (unknown !== undefined) throw invalid(`Unrecognized request argument supplied: ${unknown}`, unknown);
  const {
    model,
    input,
    encoding_format: encoding = 'float',
    [dimensionsField]: dimensions = DEFAULT_DIMENSIONS,
  } = body;
  if (!isModelName(model)) throw missing('model');
  if (encoding !== 'float' && encoding !== 'base64')
    throw wrongType('encoding_format', 'one of float and base64');
  if (!isDimensions(dimensions)) throw wrongType(dimensionsField, `an integer up to ${MAX_DIMENSIONS}`);
  return embeddingRequest(model, readInputs(input, mistralFormat), dimensions, encoding === 'base64');
}

/** Mistral takes texts only. */
function readInputs(input: unknown, isTextOnly: boolean): readonly EmbeddingInput[] {
  if (input === undefined) throw missing('input');
  const isSingle = typeof input === 'string' || (isTokens(input) && !isTextOnly);
  const inputs: unknown = isSingle ? [input] : input;
  const isValid = (one: unknown) => typeof one === 'string' || (isTokens(one) && !isTextOnly);
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > MAX_INPUTS || !inputs.every(isValid))
    throw invalid("'$.input' is invalid.", 'input');
  if (inputs.some((one) => one.length === 0)) throw invalid('Input cannot be an empty string.', 'input');
  return inputs;
}

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0);

export const isDimensions = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_DIMENSIONS;

export const toEmbeddingList = ({ model, vectors, inputTokens }: Embeddings) => ({
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model,
  usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
});
