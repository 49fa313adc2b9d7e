import { isObject, type JsonObject, membersOf } from '@gateway/upstream';
import type { OpeningEvent } from '../../domain/chat-provider';
import { choicesOf } from './chunk-text';
import { assertNotFailed, isFinishReason } from './reply-json';

/** Members of a delta that carry text, a refusal, thinking, audio or a call. */
const CONTENT_MEMBERS = [
  'content',
  'refusal',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'tool_calls',
  'function_call',
  'audio',
];
/** Members that only describe others. */
const METADATA_MEMBERS: ReadonlySet<string> = new Set(['type', 'format']);

/**
 * Reads a chunk of a completion that has had no content yet. A role alone or an empty delta is not content.
 * @throws Error when the provider ends the reply with a failure
 */
export function readOpeningChunk(chunk: JsonObject): OpeningEvent {
  let isFinished = false;
  for (const choice of choicesOf(chunk)) {
    const delta = membersOf(choice.delta);
    if (CONTENT_MEMBERS.some((member) => hasContent(delta[member]))) return 'content';
    assertNotFailed(choice.finish_reason);
    isFinished ||= isFinishReason(choice.finish_reason);
  }
  return isFinished ? 'finished' : 'waiting';
}

function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  if (Array.isArray(value)) return value.some(hasContent);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([member, inner]) => !METADATA_MEMBERS.has(member) && hasContent(inner));
}
