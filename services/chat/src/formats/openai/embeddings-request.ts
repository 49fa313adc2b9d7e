import { GatewayError } from '@gateway/errors';
import {
  isEmpty,
  missingParameter,
  parseJsonObject,
  requireFields,
  safeParse,
  schemaError,
  withoutEmptyModel,
} from '@gateway/json-body';
import type { EmbeddingInputs, EmbeddingRequest } from '../../domain/embedding';
import { BODY_BOUNDS } from '../body-bounds';
import { embeddingsSchema } from './embeddings-schema';

/** The maximum of OpenAI's API. */
export const MAX_INPUTS = 2_048;

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseEmbeddingsRequest(bytes: Buffer): EmbeddingRequest {
  const value = withoutEmptyModel(parseJsonObject(bytes, BODY_BOUNDS).value);
  const { data: body, error } = safeParse(embeddingsSchema, value);
  if (error) throw schemaError(value, error.issues, []);
  const inputs = readInputs(body.input);
  requireFields(value, ['model', 'input']);
  if (!body.model) throw new GatewayError('invalid_model');
  return {
    model: body.model,
    inputs,
    encoding: body.encoding_format ?? 'float',
    ...(body.dimensions != null && { dimensions: body.dimensions }),
    ...(body.input_type != null && { inputType: body.input_type }),
    ...(body.user != null && { user: body.user }),
  };
}

/** Inputs of the wrong type take precedence over empty ones. Returns no inputs for an empty field. */
function readInputs(input: unknown): EmbeddingInputs {
  if (isEmpty(input)) return { kind: 'texts', list: [] };
  if (typeof input === 'string') return { kind: 'texts', list: [input] };
  if (!Array.isArray(input)) throw wrongInput('input');
  if (typeof input[0] === 'number') {
    if (!isTokens(input)) throw wrongInput('input');
    return { kind: 'tokens', list: [input] };
  }
  if (input.length > MAX_INPUTS) {
    throw new GatewayError('invalid_request', { detail: `input: more than ${MAX_INPUTS} inputs` });
  }
  const isInput = typeof input[0] === 'string' ? isText : isTokens;
  const wrong = input.findIndex((entry) => !isInput(entry) && !isEmpty(entry));
  if (wrong !== -1) throw wrongInput(`input[${wrong}]`);
  const empty = input.findIndex(isEmpty);
  if (empty !== -1) throw missingParameter(`input[${empty}]`);
  return isInput === isText ? { kind: 'texts', list: input } : { kind: 'tokens', list: input };
}

const isText = (entry: unknown): boolean => typeof entry === 'string';
const isTokens = (entry: unknown): boolean =>
  Array.isArray(entry) && entry.every((token) => Number.isSafeInteger(token) && token >= 0);

const wrongInput = (path: string): GatewayError =>
  new GatewayError('invalid_request', {
    detail: `${path}: must be a text, a list of texts, a list of tokens, or a list of these lists`,
  });
