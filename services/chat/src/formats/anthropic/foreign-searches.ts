import { isObject } from '@gateway/upstream';
import type { Message } from './messages-schema';

/** Marks searches of other providers. Anthropic refuses them when they are sent back, because it encrypts the results of its own. */
export const FOREIGN_SEARCH = 'srvtoolu_gw_';

type Block = Readonly<Record<string, unknown>>;

/** Whether a block is a search of another provider, or its results. */
export function isForeignSearch({ type, id, tool_use_id: resultOf }: Block): boolean {
  const search = type === 'server_tool_use' ? id : type === 'web_search_tool_result' ? resultOf : undefined;
  return typeof search === 'string' && search.startsWith(FOREIGN_SEARCH);
}

/** Whether a text cites a page that another provider found. */
export const hasForeignCitation = ({ citations }: Block): boolean =>
  Array.isArray(citations) &&
  citations.some((citation) => isObject(citation) && citation.encrypted_index === '');

/** Returns the messages without searches and citations of other providers. */
export const withoutForeignSearches = (messages: readonly Message[]): Message[] =>
  messages.map((message) => {
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return message;
    const content = (message.content as readonly Block[])
      .filter((block) => !isForeignSearch(block))
      .map((block) => (hasForeignCitation(block) ? { ...block, citations: undefined } : block));
    return { ...message, content } as unknown as Message;
  });
