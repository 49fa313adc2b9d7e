import { listOf, membersOf, textOf } from '@gateway/upstream';
import type { SearchResult } from '../../domain/conversation';
import type { ReplyEvent } from '../../domain/reply';

/**
 * Returns the queries for which Google searched the web, of all candidates (@google/genai 3.1, `GroundingMetadata`). Google
 * lists some twice, or empty, and bills the distinct ones that are not empty (ai.google.dev, "Grounding with Google Search").
 */
export const queriesOf = ({ candidates }: Record<string, unknown>): Set<string> =>
  new Set(
    listOf(candidates).flatMap((candidate) =>
      billedQueries(membersOf(membersOf(candidate).groundingMetadata)),
    ),
  );

const billedQueries = ({ webSearchQueries }: Record<string, unknown>): string[] =>
  [...new Set(listOf(webSearchQueries).map(textOf))].filter((query) => query !== '');

/** Reads the pages that a reply cites. A segment without a page of the web is left out. */
export function readCitations(grounding: Record<string, unknown>): ReplyEvent[] {
  const pages = readPages(grounding);
  return listOf(grounding.groundingSupports).flatMap((support) => {
    const { segment, groundingChunkIndices } = membersOf(support);
    const cited = textOf(membersOf(segment).text);
    return listOf(groundingChunkIndices).flatMap((at): ReplyEvent[] => {
      const page = pages[Number(at)];
      return page ? [{ kind: 'citation', citation: { ...page, cited, quote: '' } }] : [];
    });
  });
}

/** Reads the searches. Google does not say which one found a page, so the first one has all of them. */
export function readSearches(grounding: Record<string, unknown>, newId: () => string): ReplyEvent[] {
  const results = readPages(grounding).filter((page) => page !== undefined);
  return billedQueries(grounding).map((query, at) => ({
    kind: 'web_search',
    id: newId(),
    query,
    results: at === 0 ? results : [],
  }));
}

/** Undefined for a chunk that is no page of the web. */
function readPages({ groundingChunks }: Record<string, unknown>): (SearchResult | undefined)[] {
  return listOf(groundingChunks).map((chunk) => {
    const { web } = membersOf(chunk);
    if (!web) return undefined;
    const { uri, title } = membersOf(web);
    return { url: textOf(uri), title: textOf(title) };
  });
}
