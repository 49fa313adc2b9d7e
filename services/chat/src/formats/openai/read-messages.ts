import { missingParameter } from '@gateway/json-body';
import type { TextPart, ToolResultPart, Turn } from '../../domain/conversation';
import type { ChatMessage } from './chat-schema';
import { readAssistant } from './read-assistant';
import { type ReadPart, readCacheHint, readParts, readTexts, refused } from './read-parts';

export interface ReadMessages {
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
}

/**
 * Reads the messages without names of participants, which no other format has.
 * @param list name of the list for error details
 * @throws GatewayError `invalid_request` for a message that no other format can represent
 */
export function readMessages(messages: readonly ChatMessage[], list: string): ReadMessages {
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  // A legacy function's result has no call id: it answers the last call.
  let legacyCallId: string | undefined;
  let results: ToolResultPart[] | undefined;
  for (const [index, message] of messages.entries()) {
    const path = `${list}[${index}]`;
    if (message.role === 'tool' || message.role === 'function') {
      const result = readResult(message, path, legacyCallId);
      // Results of one round are joined into one turn.
      if (results) results.push(result);
      else {
        results = [result];
        turns.push({ role: 'user', parts: results });
      }
      continue;
    }
    results = undefined;
    if (message.role === 'assistant') {
      if (message.function_call) legacyCallId = `call_${index}`;
      const parts = readAssistant(message, path, `call_${index}`);
      if (parts.length > 0) turns.push({ role: 'assistant', parts });
    } else if (message.role === 'user') {
      const parts = withMessageHint(readParts(message.content, `${path}.content`), message);
      if (parts.length > 0) turns.push({ role: 'user', parts });
    } else {
      const parts = withMessageHint(readTexts(message.content, `${path}.content`), message);
      if (turns.length === 0) system.push(...parts);
      else if (parts.length > 0) turns.push({ role: 'system', parts });
    }
  }
  return { system, turns };
}

function readResult(message: ChatMessage, path: string, legacyCallId: string | undefined): ToolResultPart {
  const callId = message.role === 'function' ? legacyCallId : message.tool_call_id;
  if (!callId) {
    if (message.role === 'tool') throw missingParameter(`${path}.tool_call_id`);
    throw refused(path, 'no function was called before it');
  }
  const parts = readParts(message.content, `${path}.content`).map((part) => {
    if (part.kind === 'audio') throw refused(`${path}.content`, 'audio is not allowed in a tool result');
    return part;
  });
  return { kind: 'tool_result', callId, parts, isError: false, cache: readCacheHint(message) };
}

/** A cache hint on the message applies to its last part. */
function withMessageHint<Part extends ReadPart>(parts: Part[], message: ChatMessage): Part[] {
  const hint = readCacheHint(message);
  const last = parts.at(-1);
  if (!hint || !last || last.kind === 'audio') return parts;
  return [...parts.slice(0, -1), { ...last, cache: last.cache ?? hint }];
}
