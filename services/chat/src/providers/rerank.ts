import { GatewayError } from '@gateway/errors';
import { isObject, type JsonObject, listOf, membersOf, textOf, tokenFigure } from '@gateway/upstream';
import type { RankedDocument, RerankProtocol } from '../domain/rerank';
import type { UpstreamAddress } from '../domain/upstream-address';

/** How a provider's API deviates from Jina AI's. */
export interface RerankQuirks {
  readonly topField: 'top_n' | 'top_k';
  /** It accepts `max_tokens_per_doc`. */
  readonly cutsDocuments: boolean;
}

/** An API that ranks documents. Documents are texts, and the gateway adds them to the reply itself. */
export const rerankApi = (
  address: UpstreamAddress,
  { topField, cutsDocuments }: RerankQuirks,
): RerankProtocol => ({
  address: () => address,
  writeRequest({ query, documents, topN, maxTokensPerDocument: cut }, model) {
    if (cut !== undefined && !cutsDocuments)
      throw new GatewayError('invalid_request', {
        detail: 'max_tokens_per_doc: not supported by this model',
      });
    return Buffer.from(
      JSON.stringify({
        ...{ model, query, documents },
        ...(topN !== undefined && { [topField]: Math.min(topN, documents.length) }),
        // Jina AI and some servers return the documents unless told otherwise.
        ...(!cutsDocuments && { return_documents: false }),
        ...(cut !== undefined && { max_tokens_per_doc: cut }),
      }),
    );
  },
  readReply({ id, results, data, usage, meta }) {
    const { prompt_tokens, total_tokens } = membersOf(usage);
    const { billed_units: units, tokens } = membersOf(meta);
    const ranked = listOf(results ?? data).map(readResult);
    return {
      id: textOf(id),
      results: ranked.sort((a, b) => b.score - a.score),
      inputTokens:
        tokenFigure(total_tokens) ||
        tokenFigure(prompt_tokens) ||
        tokenFigure(membersOf(tokens).input_tokens),
      searchUnits: tokenFigure(membersOf(units).search_units),
    };
  },
});

/** @throws Error for a result of another shape */
function readResult(result: unknown): RankedDocument {
  const { index, relevance_score: score }: JsonObject = isObject(result) ? result : {};
  if (!Number.isSafeInteger(index) || typeof score !== 'number')
    throw new Error('reply does not match its format');
  return { index: index as number, score };
}
