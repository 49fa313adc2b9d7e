import { sign } from '../../domain/signer';
import { isObject, type Json } from '../json';
import type { Identity } from '../protocol';
import { invalid } from './error';
import { integerAt, listAt, onlyFields, stringAt } from './fields';

const TYPE = 'web_search_20250305';
const FIELDS = new Set([
  ...['type', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location'],
  ...['cache_control', 'allowed_callers', 'defer_loading', 'strict'],
]);

/** Returns the maximum of searches that the tools allow; 0 without a tool that searches. @throws ProviderError */
export function readMaxSearches(tools: readonly Json[]): number {
  const at = tools.findIndex(({ type }) => type === TYPE);
  const tool = tools[at];
  if (!tool) return 0;
  onlyFields(tool, FIELDS, `tools.${at}.${TYPE}`);
  if (tool.name !== 'web_search') throw invalid(`tools.${at}.${TYPE}.name: Input should be 'web_search'`);
  if (tool.max_uses == null) return Number.POSITIVE_INFINITY;
  return integerAt(tool.max_uses, `tools.${at}.${TYPE}.max_uses`, 1);
}

const pageOf = (query: string) => ({
  url: `https://search.example/${encodeURIComponent(query)}`,
  title: `About ${query}`,
});

const idOf = ({ id }: Identity, at: number) => `srvtoolu_${id.slice(-20)}${String(at).padStart(2, '0')}`;

/** Returns the blocks of a search. @param input of the call, which a stream sends later */
export function toSearch(identity: Identity, at: number, query: string, input: object = { query }) {
  const id = idOf(identity, at);
  const { url, title } = pageOf(query);
  const found = {
    type: 'web_search_result',
    url,
    title,
    encrypted_content: sign('search', url),
    page_age: null,
  };
  return [
    { type: 'server_tool_use', id, name: 'web_search', input, caller: { type: 'direct' } },
    { type: 'web_search_tool_result', tool_use_id: id, content: [found], caller: { type: 'direct' } },
  ];
}

/** Returns the page of a search as a text cites it. */
export function toCitation(query: string) {
  const { url, title } = pageOf(query);
  return {
    type: 'web_search_result_location',
    cited_text: title,
    encrypted_index: sign('search', url),
    title,
    url,
  };
}

/** @throws ProviderError for results that this provider has not found */
export function checkResults(block: Json, at: string): void {
  if (block.type !== 'web_search_tool_result' || !Array.isArray(block.content)) return;
  listAt(block.content, `${at}.content`).forEach((result, i) => {
    const { url, encrypted_content } = isObject(result) ? result : {};
    const path = `${at}.content.${i}`;
    if (encrypted_content !== sign('search', stringAt(url, `${path}.url`)))
      throw invalid(`${path}.encrypted_content: Invalid encrypted content`);
  });
}

/** @throws ProviderError for citations of pages that this provider has not found */
export function checkCitations(citations: unknown, at: string): void {
  if (!Array.isArray(citations)) return;
  citations.forEach((citation, i) => {
    const { type, url, encrypted_index } = isObject(citation) ? citation : {};
    if (type === 'web_search_result_location' && encrypted_index !== sign('search', String(url)))
      throw invalid(`${at}.citations.${i}.encrypted_index: Invalid encrypted index`);
  });
}
