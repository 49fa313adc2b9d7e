import { GatewayError } from '@gateway/errors';
import { isEmpty, missingParameter, parseJsonObject, safeParse, withoutEmptyModel } from '@gateway/json-body';
import { membersOf } from '@gateway/upstream';
import type { RerankRequest } from '../../domain/rerank';
import { BODY_BOUNDS } from '../body-bounds';
import { schemaError } from '../schema-error';
import { rerankSchema } from './rerank-schema';

/** Cohere recommends no more, and Voyage AI takes no more. */
const MAX_DOCUMENTS = 1_000;

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseRerankRequest(bytes: Buffer): RerankRequest {
  const value = withoutEmptyModel(parseJsonObject(bytes, BODY_BOUNDS).value);
  const { data: body, error } = safeParse(rerankSchema, value);
  if (error) throw schemaError(value, error.issues, []);
  const documents = readDocuments(body.documents);
  if (isEmpty(body.query)) throw missingParameter('query');
  const empty = documents.findIndex(isEmpty);
  if (documents.length === 0) throw missingParameter('documents');
  if (empty !== -1) throw missingParameter(`documents[${empty}]`);
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
    const text = typeof document === 'string' ? document : membersOf(document).text;
    if (typeof text !== 'string')
      throw wrong(`documents[${index}]: must be a text, or an object with a text`);
    return text;
  });
}

const wrong = (detail: string): GatewayError => new GatewayError('invalid_request', { detail });
