import type { RerankRequest } from './rerank';

/** Tokens that models add to each pair of query and document. */
const FRAME_TOKENS = 4;

/** Lengths of the query and of each document, in tokens. */
export interface RerankSize {
  readonly query: number;
  readonly documents: readonly number[];
}

/** Returns the size by a measure of texts, each document cut off where the request says. */
export function sizeOf(request: RerankRequest, measure: (text: string) => number): RerankSize {
  const { maxTokensPerDocument: most = Number.POSITIVE_INFINITY } = request;
  return {
    query: measure(request.query),
    documents: request.documents.map((document) => Math.min(measure(document), most)),
  };
}

/** Returns the size by bytes, of which every token has at least one. */
export const byteSizeOf = (request: RerankRequest): RerankSize => sizeOf(request, Buffer.byteLength);

/** Returns the tokens of all pairs: providers read the query with each document. @param contextLength of a pair */
export function pairTokens({ query, documents }: RerankSize, contextLength: number, frame = 0): number {
  return documents.reduce((sum, tokens) => sum + Math.min(query + tokens + frame, contextLength), 0);
}

/** Returns the maximum tokens of a request. */
export const boundPairTokens = (request: RerankRequest, contextLength: number): number =>
  pairTokens(byteSizeOf(request), contextLength, FRAME_TOKENS);

/** A document with its query is divided into parts of so many tokens, each of which counts as a document. */
const PART_TOKENS = 500;
/** However long the query is. */
const LEAST_PART_TOKENS = 250;
const DOCUMENTS_PER_UNIT = 100;

/** Returns Cohere's search units: one for a query with up to 100 documents (cohere.com/pricing). */
export function searchUnits({ query, documents }: RerankSize): number {
  const room = Math.max(PART_TOKENS - query, LEAST_PART_TOKENS);
  const parts = documents.reduce((sum, tokens) => sum + Math.max(1, Math.ceil(tokens / room)), 0);
  return Math.ceil(parts / DOCUMENTS_PER_UNIT);
}
