import { isObject, type JsonObject, listOf, membersOf, tokenFigure } from '@gateway/upstream';
import { type TokenUsage, type UsageMode, withSearches } from '../../../domain/usage';
import { fromOpenAiUsage } from '../openai-usage';

/** The input includes cached tokens, and the output reasoning, except at some models of other makers. */
const COUNTING: UsageMode = { reasoning: 'detect', cached: 'detect' };

/** Returns the figures of a response, and its searches. */
export function fromResponseUsage(response: JsonObject): TokenUsage | undefined {
  const { usage } = response;
  if (!isObject(usage)) return undefined;
  const tokens = fromOpenAiUsage(usage, COUNTING);
  return tokens && withSearches(tokens, searchesOf(response.output, usage));
}

/** xAI reports a figure; OpenAI bills every search action, while opening a page is free. */
function searchesOf(output: unknown, usage: JsonObject): number {
  const reported = tokenFigure(membersOf(usage.server_side_tool_usage_details).web_search_calls);
  return reported ?? listOf(output).filter((item) => isSearch(membersOf(item))).length;
}

/** Whether an item is a search, which is billed, rather than the opening of a page. */
export const isSearch = ({ type, action }: JsonObject): boolean =>
  type === 'web_search_call' && (membersOf(action).type ?? 'search') === 'search';
