import type { Model } from '../domain/model';
import type { RerankProtocol, RerankReply, RerankRequest } from '../domain/rerank';
import { boundPairTokens, byteSizeOf, pairTokens, searchUnits, sizeOf } from '../domain/rerank-size';
import { TokenCounter } from '../domain/token-count';
import { type Encoding, TokenEstimator } from '../domain/token-estimator';
import { NO_USAGE, type TokenUsage } from '../domain/usage';
import {
  parseReply,
  type ReadReply,
  type WholeReplyCall,
  type WholeReplyProtocol,
} from '../domain/whole-reply-call';
import { writeRanking } from '../formats/rerank/ranking-reply';

/** Of a price for which documents are divided. */
const UNIT = 'search_unit';

/** Returns a call that ranks documents. */
export const rerankCall = (request: RerankRequest): WholeReplyCall => ({
  model: request.model,
  output: 'rerank',
  protocolOf: ({ rerank }) => rerank && protocolOf(request, rerank),
  boundUsage: (model) =>
    usageOf(model, boundPairTokens(request, model.contextLength), () => searchUnits(byteSizeOf(request))),
  estimateTokens: (encoding) => estimateTokens(request, encoding),
  countUsage: (model) => countUsage(request, model),
});

const protocolOf = (request: RerankRequest, rerank: RerankProtocol): WholeReplyProtocol => ({
  address: () => rerank.address(),
  writeRequest: (upstreamModel) => rerank.writeRequest(request, upstreamModel),
  readReply: (bytes, model) => readReply(request, rerank.readReply(parseReply(bytes)), model),
});

function readReply(request: RerankRequest, reply: RerankReply, model: Model): ReadReply {
  const { documents, topN = documents.length } = request;
  const { results } = reply;
  const places = new Set(results.map(({ index }) => index));
  if (results.length < Math.min(topN, documents.length)) throw new Error('reply has too few documents');
  if (places.size < results.length || results.some(({ index }) => documents[index] === undefined))
    throw new Error('reply has a wrong index');
  const { inputTokens, searchUnits: reportedUnits } = reply;
  const isByUnit = isPricedByUnit(model);
  const isReported = Boolean(isByUnit ? reportedUnits : inputTokens);
  // Tokens that cost nothing count for the key's TPM limit only.
  const usage = isReported
    ? usageOf(model, inputTokens || estimateTokens(request, 'o200k'), () => reportedUnits ?? 0)
    : countUsage(request, model);
  return {
    usage,
    source: isReported ? 'provider' : 'counted',
    body: writeRanking(request, model.slug, { ...reply, results: results.slice(0, topN) }, usage),
  };
}

const isPricedByUnit = ({ pricing }: Model): boolean => pricing?.base.units?.[UNIT] !== undefined;

const usageOf = (model: Model, input: number, units: () => number): TokenUsage => ({
  ...NO_USAGE,
  input,
  ...(isPricedByUnit(model) && { units: { [UNIT]: units() } }),
});

function estimateTokens(request: RerankRequest, encoding: Encoding): number {
  const estimate = (text: string) => {
    const estimator = new TokenEstimator(encoding);
    estimator.addText(text);
    return estimator.tokens;
  };
  return Math.max(1, pairTokens(sizeOf(request, estimate), Number.POSITIVE_INFINITY));
}

function countUsage(request: RerankRequest, model: Model): TokenUsage {
  const counter = new TokenCounter();
  const size = sizeOf(request, (text) => {
    const before = counter.tokens;
    counter.addText(text);
    return Math.ceil(counter.tokens - before);
  });
  return usageOf(model, pairTokens(size, model.contextLength), () => searchUnits(size));
}
