import type { Citation, WebSearchPart } from '../../domain/conversation';
import { citedRange } from '../cited-range';

/** Returns the `groundingMetadata` of a reply. Its positions are bytes of UTF-8. */
export function writeGrounding(
  text: string,
  searches: readonly WebSearchPart[],
  citations: readonly Citation[],
): object {
  const pages = new Map<string, string>();
  for (const { url, title } of [...searches.flatMap(({ results }) => results), ...citations])
    pages.set(url, title);
  const urls = [...pages.keys()];
  return {
    webSearchQueries: searches.map(({ query }) => query),
    groundingChunks: [...pages].map(([uri, title]) => ({ web: { uri, title } })),
    groundingSupports: citations.map((citation) => {
      const { start_index: start, end_index: end } = citedRange(text, citation);
      return {
        segment: {
          startIndex: Buffer.byteLength(text.slice(0, start)),
          endIndex: Buffer.byteLength(text.slice(0, end)),
          text: text.slice(start, end),
        },
        groundingChunkIndices: [urls.indexOf(citation.url)],
      };
    }),
  };
}
