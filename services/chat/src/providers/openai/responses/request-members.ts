import { GatewayError } from '@gateway/errors';
import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { ANY_TOOL } from '../../../domain/any-tool';
import { ENCRYPTED_REASONING } from '../../../domain/response-members';
import { isTagged } from '../../../domain/signature-tag';
import { readSummary } from '../../../domain/summary-content';
import { isWebSearchType } from '../../../domain/web-search-type';
import type { OpenAiQuirks } from '../quirks';
import { REASONING, refusedHints } from '../write-request';
import { unsealed } from './encrypted-reasoning';
import { fromChatPart } from './from-chat-part';

/** Ids of searches that the gateway has given. */
const SEARCH_ID = /^ws_[0-9a-f-]{36}_\d+$/;

/**
 * Returns the changes to a caller's body that an account's Responses API needs: the new JSON of a top-level member, or undefined
 * for a member to omit.
 */
export function responseMembers(
  body: JsonObject,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
  account: string,
): ReadonlyMap<string, string | undefined> {
  const members = new Map<string, string | undefined>();
  const effort = textOf(membersOf(body.reasoning).effort) || undefined;
  for (const field of refusedHints(quirks, capabilities, effort)) members.set(field, undefined);
  if (!capabilities.has(REASONING)) {
    // OpenAI refuses both for models that do not reason, while some clients always send them.
    members.set('reasoning', undefined);
    const include = listOf(body.include).filter((name) => name !== ENCRYPTED_REASONING);
    members.set('include', include.length > 0 ? JSON.stringify(include) : undefined);
  }
  const input = fitItems(body.input, account, quirks);
  if (input !== body.input) members.set('input', JSON.stringify(input));
  // The preview has another price.
  if (listOf(body.tools).some(isVersionedSearch))
    members.set('tools', JSON.stringify(listOf(body.tools).map(toSearch)));
  if (body.tool_choice === ANY_TOOL) members.set('tool_choice', '"required"');
  if (isVersionedSearch(body.tool_choice))
    members.set('tool_choice', JSON.stringify(toSearch(body.tool_choice)));
  return members;
}

/** A preview or a dated version of the search. */
const isVersionedSearch = (tool: unknown): boolean => {
  const { type } = membersOf(tool);
  return type !== 'web_search' && isWebSearchType(type);
};

const toSearch = (tool: unknown): unknown =>
  isVersionedSearch(tool) ? { ...membersOf(tool), type: 'web_search' } : tool;

/** Returns the same value if nothing has to change. */
function fitItems(input: unknown, account: string, quirks: OpenAiQuirks): unknown {
  if (!Array.isArray(input)) return input;
  let isChanged = false;
  const items = input.flatMap((item) => {
    const fitted = isObject(item) ? fitItem(item, account, quirks) : item;
    isChanged ||= fitted !== item;
    return fitted === undefined ? [] : [fitted];
  });
  return isChanged ? items : input;
}

/** Undefined: the item means nothing to this account. */
function fitItem(
  item: JsonObject,
  account: string,
  { reasoningReplay }: OpenAiQuirks,
): JsonObject | undefined {
  if (item.type === 'reasoning') return unsealed(item, account) ?? (reasoningReplay && readable(item));
  if (item.type === 'compaction') return compactionOf(item, account);
  if (item.type === 'web_search_call') return SEARCH_ID.test(textOf(item.id)) ? item : undefined;
  // Its id is ours, or of another account; nothing is stored under it.
  const { id, ...others } = item;
  const known = id === undefined ? item : others;
  const { content } = known;
  if (!Array.isArray(content) || !content.some(isOfChat)) return known;
  const isOwn = item.role === 'assistant';
  return { ...known, content: content.map((part) => fromChatPart(membersOf(part), isOwn) ?? part) };
}

/**
 * Returns a summary that the gateway has made as a message, and any other as the account wrote it.
 * @throws GatewayError `invalid_request` for a summary of another account, without which the conversation has lost its beginning
 */
function compactionOf(item: JsonObject, account: string): JsonObject {
  const content = textOf(item.encrypted_content);
  const summary = readSummary(content);
  if (summary !== undefined) return { role: 'user', content: summary };
  if (!isTagged(content)) return item;
  const own = unsealed(item, account);
  if (own) return own;
  const detail = 'input: the compaction can only be read by the provider that wrote it';
  throw new GatewayError('invalid_request', { detail });
}

/** Returns a reasoning item with its text alone; undefined if it shows none, or shows what another provider has encrypted. */
function readable({ encrypted_content: encrypted, ...item }: JsonObject): JsonObject | undefined {
  return !encrypted && listOf(item.content).length > 0 ? item : undefined;
}

/** LangChain sends such parts, and clients that keep replies as texts. */
const isOfChat = (part: unknown): boolean => ['text', 'image_url'].includes(textOf(membersOf(part).type));
