import { countInputs, vectorOf } from '../domain/embedding';
import { textPrompt } from '../domain/prompt';
import { NO_USAGE } from '../domain/usage';
import type { Call } from '../http/call';
import { handleMetered, type ParsedRequest, readJson, sendJsonReply } from './handle-call';
import type { Json } from './json';
import { isObject } from './json';
import { isModelName } from './model-name';
import type { ProviderProtocol } from './protocol';
import type { ProviderDeps } from './provider';

export interface RerankRequest extends ParsedRequest {
  readonly query: string;
  readonly documents: readonly string[];
  readonly topN: number;
}

/** What a reply is written from. */
export interface Ranking {
  readonly id: string;
  readonly model: string;
  /** Most relevant first. */
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
  readonly inputTokens: number;
  readonly searchUnits: number;
}

/** @param fields that the provider knows @param refuse returns the provider's error */
export function parseRerank(
  body: unknown,
  fields: ReadonlySet<string>,
  refuse: (message: string) => Error,
): RerankRequest {
  if (!isObject(body)) throw refuse('invalid request: expected an object');
  const unknown = Object.keys(body).find((field) => !fields.has(field));
  if (unknown !== undefined) throw refuse(`unknown field: parameter '${unknown}' is not a valid field`);
  const { model, query, documents, top_n: topN }: Json = body;
  if (!isModelName(model)) throw refuse('model is required');
  if (typeof query !== 'string' || query === '') throw refuse('query is required');
  if (!isTexts(documents)) throw refuse('documents must be a list of strings');
  const most = topN ?? documents.length;
  if (!Number.isInteger(most) || (most as number) < 1) throw refuse('top_n must be positive');
  const prompt = textPrompt([query, ...documents].join('\n'));
  return { model, stream: false, prompt, query, documents, topN: most as number };
}

const isTexts = (documents: unknown): documents is string[] =>
  Array.isArray(documents) && documents.length > 0 && documents.every((one) => typeof one === 'string');

/** Handles a call that ranks documents by the similarity of their vectors to that of the query. */
export function handleRerank(
  call: Call,
  deps: ProviderDeps,
  protocol: ProviderProtocol,
  parse: (body: unknown) => RerankRequest,
  toBody: (ranking: Ranking) => unknown,
): Promise<void> {
  const read = () => readJson(call, deps, protocol, parse);
  return handleMetered(call, deps, protocol, read, (exchange) => {
    const { request, directive, identity } = exchange;
    const { model, query, documents, topN } = request;
    const counted =
      documents.length * countInputs([query], deps.tokenizer) + countInputs(documents, deps.tokenizer);
    const inputTokens = directive.usage?.prompt_tokens ?? counted;
    const results = documents
      .map((document, index) => ({ index, relevance_score: similarity(query, document) }))
      .sort((a, b) => b.relevance_score - a.relevance_score)
      .slice(0, topN);
    const searchUnits = Math.ceil(documents.length / 100);
    const body = toBody({ id: identity.id, model, results, inputTokens, searchUnits });
    return sendJsonReply(exchange, body, documents.length, {
      usage: { ...NO_USAGE, promptTokens: inputTokens },
    });
  });
}

const DIMENSIONS = 8;

/** From 0 to 1; 1 for the same text. */
function similarity(query: string, document: string): number {
  const asked = vectorOf(query, DIMENSIONS);
  const said = vectorOf(document, DIMENSIONS);
  return asked.reduce((sum, value, at) => sum + value * said[at]!, 1) / 2;
}
