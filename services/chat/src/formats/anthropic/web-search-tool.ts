import { z } from 'zod';
import { WEB_SEARCH, type WebSearch } from '../../domain/conversation';
import { MAX_WEB_SEARCHES } from '../../domain/upper-bound';
import { searchLocation, toLocation } from '../search-location';
import type { ToolEntry } from './messages-schema';
import { toolKind } from './supported-tools';

const domains = z.array(z.string().min(1).max(256)).max(100).nullish();

/** `web_search_20250305` (SDK 1.12, `WebSearchTool20250305`). */
export const webSearchTool = z
  .strictObject({
    type: z.string(),
    name: z.literal(WEB_SEARCH),
    max_uses: z.int().min(1).max(100).nullish(),
    allowed_domains: domains,
    blocked_domains: domains,
    user_location: z
      .strictObject({
        type: z.literal('approximate'),
        ...searchLocation,
      })
      .nullish(),
    cache_control: z.unknown().optional(),
    // The model decides that itself, or code does, which is billed by the hour.
    allowed_callers: z.tuple([z.literal('direct')]).nullish(),
    defer_loading: z.literal(false).nullish(),
    strict: z.boolean().nullish(),
  })
  .refine(({ allowed_domains: allowed, blocked_domains: blocked }) => !(allowed?.length && blocked?.length), {
    message: 'only one of allowed_domains and blocked_domains',
    path: ['blocked_domains'],
  });

/** Returns the search among the tools, which have been checked; undefined if there is none. */
export function toWebSearch(tools: readonly ToolEntry[]): WebSearch | undefined {
  const tool = tools.find(({ type }) => toolKind(type) === 'web_search');
  if (!tool) return undefined;
  const { max_uses, allowed_domains, blocked_domains, user_location } = webSearchTool.parse(tool);
  return {
    maxSearches: max_uses ?? MAX_WEB_SEARCHES,
    allowedDomains: allowed_domains ?? [],
    blockedDomains: blocked_domains ?? [],
    location: toLocation(user_location),
  };
}

/** Whether it is a search without a maximum. */
export const isUnboundedSearch = (tool: ToolEntry): boolean =>
  toolKind(tool.type) === 'web_search' && (tool as { max_uses?: unknown }).max_uses == null;

/** Returns the tools with a maximum of searches, which Anthropic does not require. */
export const withMaxUses = (tools: readonly ToolEntry[]): readonly object[] =>
  tools.map((tool) => (isUnboundedSearch(tool) ? { ...tool, max_uses: MAX_WEB_SEARCHES } : tool));
