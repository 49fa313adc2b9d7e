import { allowedTools } from '../../domain/allowed-tools';
import { type Conversation, type Tool, WEB_SEARCH, type WebSearch } from '../../domain/conversation';
import { flatSchema } from '../../domain/flat-schema';
import { fitSchema } from './fit-schema';
import type { WireTool, WireToolChoice, WireWebSearch } from './messages-body';
import { writeCache } from './write-input';

export interface WrittenTools {
  readonly tools?: readonly WireTool[] | undefined;
  /** Absent: the conversation has none. */
  readonly search?: WireWebSearch | undefined;
  readonly tool_choice?: WireToolChoice | undefined;
}

/** @param compiles the model supports structured output and strict tools */
export function writeTools(conversation: Conversation, compiles: boolean): WrittenTools {
  const offered = offeredTools(conversation);
  // The API refuses a tool choice without tools.
  const { webSearch } = conversation;
  const search = webSearch && writeWebSearch(webSearch);
  if (offered.length === 0 && !search) return {};
  return {
    tools: offered.map((tool) => writeTool(tool, compiles)),
    search,
    tool_choice: writeChoice(conversation),
  };
}

/** Whether the caller forces a call. */
export function forcesTool({ tools, webSearch, toolChoice }: Conversation): boolean {
  if (tools.length === 0 && !webSearch) return false;
  return toolChoice.kind === 'allowed'
    ? toolChoice.required
    : toolChoice.kind === 'required' || toolChoice.kind === 'tool';
}

/** The API has no list of allowed tools, so the other tools are omitted. */
function offeredTools({ tools, toolChoice }: Conversation): readonly Tool[] {
  return toolChoice.kind === 'allowed' ? allowedTools(tools, toolChoice.names) : tools;
}

function writeWebSearch({ maxSearches, allowedDomains, blockedDomains, location }: WebSearch): WireWebSearch {
  return {
    type: 'web_search_20250305',
    name: WEB_SEARCH,
    max_uses: maxSearches,
    allowed_domains: allowedDomains.length > 0 ? allowedDomains : undefined,
    blocked_domains: blockedDomains.length > 0 ? blockedDomains : undefined,
    user_location: location && { type: 'approximate', ...location },
  };
}

/** `strict` is omitted if the schema can't be compiled: the tool matters more than the guarantee. */
function writeTool({ name, description, parameters, strict, cache }: Tool, compiles: boolean): WireTool {
  const schema = { ...flatSchema(parameters), type: 'object' };
  const fitted = strict && compiles ? fitSchema(schema) : undefined;
  return {
    name,
    description,
    input_schema: fitted ?? schema,
    strict: fitted && true,
    cache_control: writeCache(cache),
  };
}

/** Returns undefined for the API's default, which lets the model choose. */
function writeChoice({ toolChoice, parallelToolCalls }: Conversation): WireToolChoice | undefined {
  const alone = parallelToolCalls === false && ({ disable_parallel_tool_use: true } as const);
  switch (toolChoice.kind) {
    case 'none':
      return { type: 'none' };
    case 'auto':
      return alone ? { type: 'auto', ...alone } : undefined;
    case 'required':
      return { type: 'any', ...alone };
    case 'tool':
      return { type: 'tool', name: toolChoice.name, ...alone };
    case 'allowed':
      if (toolChoice.required) return { type: 'any', ...alone };
      return alone ? { type: 'auto', ...alone } : undefined;
  }
}
