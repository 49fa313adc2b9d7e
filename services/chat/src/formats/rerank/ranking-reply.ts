import type { RerankReply, RerankRequest } from '../../domain/rerank';
import type { TokenUsage } from '../../domain/usage';

/** Writes a ranking that clients of Cohere and of Jina AI can read: the units are where Cohere has them, the tokens where Jina AI has them. */
export function writeRanking(
  { documents, returnsDocuments }: RerankRequest,
  model: string,
  { id, results }: Pick<RerankReply, 'id' | 'results'>,
  { input, units }: TokenUsage,
): Buffer {
  return Buffer.from(
    JSON.stringify({
      ...(id !== '' && { id }),
      object: 'list',
      model,
      results: results.map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(returnsDocuments && { document: { text: documents[index] } }),
      })),
      ...(units && { meta: { api_version: { version: '2' }, billed_units: units && unitsOf(units) } }),
      usage: { prompt_tokens: input, total_tokens: input },
    }),
  );
}

const unitsOf = ({ search_unit }: Readonly<Record<string, number>>) => ({ search_units: search_unit });
