/** Units of usage that are not tokens and have prices of their own. */
export const UNIT_NAMES: Readonly<Record<string, string>> = {
  web_search: 'Web search',
  web_search_prompt: 'Prompt with web search',
  search_unit: 'Rerank search',
};
