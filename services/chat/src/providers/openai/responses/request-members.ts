import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { isWebSearchType } from '../../../domain/web-search-type';
import type { OpenAiQuirks, ResponsesQuirks } from '../quirks';
import { REASONING, refusedHints } from '../write-request';
import { ENCRYPTED_REASONING, unsealed } from './encrypted-reasoning';

/**
 * Returns the changes to a caller's body that an account's Responses API needs: the new JSON of a top-level member, or undefined
 * for a member to omit.
 */
export function responseMembers(
  body: JsonObject,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
  responses: ResponsesQuirks,
  account: string,
): ReadonlyMap<string, string | undefined> {
  const members = new Map<string, string | undefined>();
  for (const field of refusedHints(
    quirks,
    capabilities,
    textOf(membersOf(body.reasoning).effort) || undefined,
  ))
    members.set(field, undefined);
  if (!capabilities.has(REASONING)) {
    // OpenAI refuses both for models that do not reason, while some clients always send them.
    members.set('reasoning', undefined);
    const include = listOf(body.include).filter((name) => name !== ENCRYPTED_REASONING);
    members.set('include', include.length > 0 ? JSON.stringify(include) : undefined);
  }
  if (quirks.endUserField === 'user' && 'safety_identifier' in body) {
    members.set('safety_identifier', undefined);
    if (body.user == null) members.set('user', JSON.stringify(body.safety_identifier));
  }
  const fitted = fitItems(body.input, account);
  const { instructions } = body;
  if (!responses.instructions && typeof instructions === 'string') {
    members.set('instructions', undefined);
    const message = { role: 'system', content: instructions };
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : fitted;
    members.set('input', JSON.stringify([message, ...listOf(items)]));
  } else if (fitted !== body.input) members.set('input', JSON.stringify(fitted));
  const tools = fitSearches(body.tools, responses);
  if (tools !== body.tools) members.set('tools', JSON.stringify(tools));
  if (responses.maxCallsField !== 'max_tool_calls' && body.max_tool_calls != null) {
    members.set('max_tool_calls', undefined);
    members.set(responses.maxCallsField, JSON.stringify(body.max_tool_calls));
  }
  return members;
}

/** Returns the same value if nothing has to change. */
function fitSearches(tools: unknown, { blockedDomainsField, knowsLocation }: ResponsesQuirks): unknown {
  if (knowsLocation || !Array.isArray(tools)) return tools;
  return tools.map((tool) => {
    const { type, filters } = membersOf(tool);
    if (!isWebSearchType(type)) return tool;
    const { blocked_domains: blocked, ...others } = membersOf(filters);
    const fitted = { ...others, ...(blocked != null && { [blockedDomainsField]: blocked }) };
    return { type: 'web_search', ...(Object.keys(fitted).length > 0 && { filters: fitted }) };
  });
}

/** Returns the same value if nothing has to change. */
function fitItems(input: unknown, account: string): unknown {
  if (!Array.isArray(input)) return input;
  let isChanged = false;
  const items = input.flatMap((item) => {
    const fitted = isObject(item) ? fitItem(item, account) : item;
    isChanged ||= fitted !== item;
    return fitted === undefined ? [] : [fitted];
  });
  return isChanged ? items : input;
}

/** Undefined: the item means nothing to this account. */
function fitItem(item: JsonObject, account: string): JsonObject | undefined {
  if (item.type === 'reasoning') return unsealed(item, account);
  // Its id is ours, or of another account; nothing is stored under it.
  const { id, ...others } = item;
  const known = id === undefined || item.type === 'web_search_call' ? item : others;
  const { content } = known;
  if (!Array.isArray(content) || !content.some(isOfChat)) return known;
  return { ...known, content: content.map((part) => toResponsesPart(membersOf(part), item.role)) };
}

/** LangChain sends such parts, and clients that keep replies as texts. */
const isOfChat = (part: unknown): boolean => ['text', 'image_url'].includes(textOf(membersOf(part).type));

function toResponsesPart(part: JsonObject, role: unknown): JsonObject {
  if (part.type === 'text')
    return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text };
  if (part.type !== 'image_url') return part;
  const { url, detail } = membersOf(part.image_url);
  return { type: 'input_image', image_url: url, detail: textOf(detail) || 'auto' };
}
