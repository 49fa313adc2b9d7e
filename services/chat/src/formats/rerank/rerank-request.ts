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
import { isObject } from '@gateway/upstream';
import type { RerankRequest } from '../../domain/rerank';
import { BODY_BOUNDS } from '../body-bounds';
import { rerankSchema } from './rerank-schema';

/** Cohere recommends no more, and Voyage AI takes no more. */
const MAX_DOCUMENTS = 1_000;

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseRerankRequest(bytes: Buffer): RerankRequest {
  const value = withoutEmptyModel(parseJsonObject(bytes, BODY_BOUNDS).value);
  const { data: body, error } = safeParse(rerankSchema, value);
  if (error) throw schemaError(value, error.issues, ['query']);
  const documents = readDocuments(body.documents);
  requireFields(value, ['model', 'query', 'documents']);
  const empty = documents.indexOf('');
  if (empty !== -1) throw missingParameter(pathOfText(body.documents, empty));
  if (!body.model) throw new GatewayError('invalid_model');
  return {
    model: body.model,
    query: body.query!,
    documents,
    ...(body.top_n != null && { topN: body.top_n }),
    returnsDocuments: body.return_documents ?? false,
    ...(body.max_tokens_per_doc != null && { maxTokensPerDocument: body.max_tokens_per_doc }),
  };
}

/** Returns the texts of the documents, some of which may be empty. */
function readDocuments(documents: unknown): string[] {
  if (isEmpty(documents)) return [];
  if (!Array.isArray(documents)) throw wrong('documents: must be a list');
  if (documents.length > MAX_DOCUMENTS) throw wrong(`documents: more than ${MAX_DOCUMENTS} documents`);
  return documents.map((document, index) => {
    const text = isObject(document) ? document.text : document;
    if (isEmpty(text)) return '';
    if (typeof text !== 'string')
      throw wrong(`documents[${index}]: must be a text, or an object with a text`);
    return text;
  });
}

/** Documents are texts, or objects with a text. */
const pathOfText = (documents: unknown, index: number): string =>
  `documents[${index}]${isObject((documents as unknown[])[index]) ? '.text' : ''}`;

const wrong = (detail: string): GatewayError => new GatewayError('invalid_request', { detail });
