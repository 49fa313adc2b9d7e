import { listOf, membersOf, textOf } from '@gateway/upstream';
import {
  type Citation,
  type Signature,
  type ThinkingPart,
  type ToolCallPart,
  WEB_SEARCH,
  type WebSearchPart,
} from '../../domain/conversation';
import type { Reply, ReplyPart } from '../../domain/reply';
import { generatedToolId } from '../../domain/tool-ids';
import { objectJson } from '../../json/exact-json';
import { readStopReason } from './stop-reason';

/** @throws Error when it is not a message */
export function readMessage(message: Record<string, unknown>): Reply {
  const { content, stop_reason: reason, stop_sequence: sequence } = message;
  const isEmpty = !Array.isArray(content) || (content.length === 0 && typeof reason !== 'string');
  if (isEmpty) throw new Error('reply is not a message');
  const queries = new Map<string, string>();
  for (const block of content.map(membersOf))
    if (isSearch(block)) queries.set(textOf(block.id), textOf(membersOf(block.input).query));
  const parts = content
    .map((block, at) => readBlock(block, queries, message.id, at))
    .filter((part) => part !== undefined);
  return {
    parts,
    stop: readStopReason(reason, parts.filter(({ kind }) => kind === 'tool_call').length),
    ...(typeof sequence === 'string' && { stopSequence: sequence }),
  };
}

export function ownSignature(value: string): Signature {
  return { wire: 'anthropic', value };
}

/** Reads the id and name of a call. @param call its number in the message @throws Error for a call without a name */
export function readToolUse(
  { id, name }: Record<string, unknown>,
  messageId: unknown,
  call: number,
): { id: string; name: string } {
  if (textOf(name) === '') throw new Error('tool_use without a name');
  return { id: textOf(id) || generatedToolId(messageId, call), name: textOf(name) };
}

/** Whether the block is a search of the web by Anthropic. */
export const isSearch = ({ type, name }: Record<string, unknown>): boolean =>
  type === 'server_tool_use' && name === WEB_SEARCH;

/**
 * Reads what a search found (SDK 1.12, `WebSearchToolResultBlock`); nothing if it failed.
 * @param queries by the id of the search
 */
export function readResults(
  { tool_use_id: id, content }: Record<string, unknown>,
  queries: ReadonlyMap<string, string>,
): WebSearchPart {
  const results = listOf(content).map((result) => {
    const { url, title } = membersOf(result);
    return { url: textOf(url), title: textOf(title) };
  });
  return { kind: 'web_search', id: textOf(id), query: queries.get(textOf(id)) ?? '', results };
}

/** Reads a page that a text cites; undefined for a citation of another kind. @param cited the text */
export function readCitation(value: unknown, cited: string): Citation | undefined {
  const { type, url, title, cited_text: quote } = membersOf(value);
  if (type !== 'web_search_result_location') return undefined;
  return { url: textOf(url), title: textOf(title), quote: textOf(quote), cited };
}

/** Returns undefined for blocks that other formats can't represent. */
function readBlock(
  value: unknown,
  queries: ReadonlyMap<string, string>,
  messageId: unknown,
  index: number,
): ReplyPart | undefined {
  const block = membersOf(value);
  if (block.type === 'text') {
    const text = textOf(block.text);
    if (text === '') return undefined;
    const citations = listOf(block.citations).flatMap((one) => readCitation(one, text) ?? []);
    return { kind: 'text', text, cache: undefined, ...(citations.length > 0 && { citations }) };
  }
  if (block.type === 'web_search_tool_result') return readResults(block, queries);
  if (block.type === 'thinking') return readThinking(textOf(block.thinking), textOf(block.signature));
  if (block.type === 'redacted_thinking') {
    return { kind: 'redacted_thinking', data: ownSignature(textOf(block.data)) };
  }
  if (block.type === 'tool_use') return readCall(block, messageId, index);
  return undefined;
}

/** Without text if the provider does not return it: the signature alone continues the thought. */
function readThinking(text: string, signature: string): ThinkingPart | undefined {
  if (signature !== '') return { kind: 'thinking', text, signature: ownSignature(signature) };
  return text === '' ? undefined : { kind: 'thinking', text, signature: undefined };
}

function readCall(block: Record<string, unknown>, messageId: unknown, index: number): ToolCallPart {
  const { id, name } = readToolUse(block, messageId, index);
  const text = objectJson(block.input);
  return { kind: 'tool_call', id, name, arguments: text, signature: undefined, cache: undefined };
}
