import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { type Conversation, WEB_SEARCH, type WebSearch } from '../../../domain/conversation';
import { ToolNotSupported } from '../../../domain/tool-not-supported';
import type { ResponsesQuirks } from '../quirks';
import { fromChatPart } from './from-chat-part';

/**
 * Writes the body of a response for a caller of another format, who asks for a search of the web, which chat completions lack.
 * @param chat the body of the same call in the format of chat completions
 * @throws ToolNotSupported for what this format lacks and the caller would miss, because only the search needs it
 */
export function writeResponseRequest(
  { webSearch, toolChoice }: Conversation,
  chat: JsonObject,
  responses: ResponsesQuirks,
): Buffer {
  if (listOf(chat.stop).length > 0)
    throw new ToolNotSupported('web_search', 'stop: not supported by this model beside web search');
  // Absent, it would be true here.
  const tools = listOf(chat.tools).map((tool) => ({
    ...{ type: 'function', strict: false },
    ...membersOf(membersOf(tool).function),
  }));
  const forcesSearch = toolChoice.kind === 'tool' && toolChoice.name === WEB_SEARCH;
  const search = webSearch && toolChoice.kind !== 'none' ? writeSearch(webSearch, responses) : undefined;
  const { json_schema: schema, type: format } = membersOf(chat.response_format);
  const body = {
    model: chat.model,
    input: listOf(chat.messages).flatMap((message) => toItems(membersOf(message))),
    tools: search ? [...tools, search] : tools,
    tool_choice: forcesSearch ? responses.searchChoice : toResponsesChoice(chat.tool_choice),
    parallel_tool_calls: chat.parallel_tool_calls,
    max_output_tokens: chat.max_completion_tokens ?? chat.max_tokens,
    ...(search && { [responses.maxCallsField]: webSearch?.maxSearches }),
    ...(search && responses.returnsSources && { include: ['web_search_call.action.sources'] }),
    reasoning: chat.reasoning_effort === undefined ? undefined : { effort: chat.reasoning_effort },
    text: format === undefined ? undefined : { format: { type: format, ...membersOf(schema) } },
    temperature: chat.temperature,
    top_p: chat.top_p,
    user: chat.user,
    safety_identifier: chat.safety_identifier,
    store: false,
    stream: chat.stream,
  };
  return Buffer.from(JSON.stringify(body));
}

function writeSearch(
  { allowedDomains, blockedDomains, location }: WebSearch,
  { blockedDomainsField, knowsLocation }: ResponsesQuirks,
): object {
  const filters = {
    ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { [blockedDomainsField]: blockedDomains }),
  };
  return {
    type: 'web_search',
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(location && knowsLocation && { user_location: { type: 'approximate', ...location } }),
  };
}

/** Undefined: the default. */
function toResponsesChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const named = (tool: unknown) => ({ type: 'function', name: membersOf(membersOf(tool).function).name });
  if (choice.type !== 'allowed_tools') return named(choice);
  const { mode, tools } = membersOf(choice.allowed_tools);
  return { type: 'allowed_tools', mode, tools: listOf(tools).map(named) };
}

/** A message is an item, and each of its calls another one. */
function toItems({ role, content, tool_calls: calls, tool_call_id: callId }: JsonObject): object[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: callId, output: content }];
  const isOwn = role === 'assistant';
  const isSilent = content === null || content === undefined || content === '';
  return [
    ...(isOwn && isSilent ? [] : [{ role, content: toContent(content, isOwn) }]),
    ...listOf(calls).map((call) => {
      const { id, function: called } = membersOf(call);
      return { type: 'function_call', call_id: id, ...membersOf(called) };
    }),
  ];
}

function toContent(content: unknown, isOwn: boolean): unknown {
  if (!Array.isArray(content)) return content;
  return content.map(membersOf).map((part) => {
    if (part.type === 'file') return { type: 'input_file', ...membersOf(part.file) };
    const written = fromChatPart(part, isOwn);
    if (written) return written;
    throw new ToolNotSupported(
      'web_search',
      `content of type ${textOf(part.type)} is not supported by this model beside web search`,
    );
  });
}
