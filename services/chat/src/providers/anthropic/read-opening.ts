import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { OpeningEvent } from '../../domain/chat-provider';

/** Blocks whose content follows; others are content by being there. */
const EMPTY_AT_FIRST: ReadonlySet<unknown> = new Set(['text', 'thinking', undefined]);

/** Reads an event of a message that has had no content yet. Pings are none, nor are blocks that begin empty. */
export function readOpeningEvent(event: JsonObject): OpeningEvent {
  switch (event.type) {
    case 'message_start':
      return contentIf(listOf(membersOf(event.message).content).length > 0);
    case 'content_block_start': {
      const block = membersOf(event.content_block);
      return contentIf(!EMPTY_AT_FIRST.has(block.type) || saysSomething(block));
    }
    case 'content_block_delta':
      return contentIf(saysSomething(membersOf(event.delta)));
    case 'message_stop':
      return 'ended';
    default:
      return 'waiting';
  }
}

/** A signature alone is that of thinking that is not shown. */
function saysSomething({ text, thinking, partial_json: json, signature, citation }: JsonObject): boolean {
  return [text, thinking, json, signature].some((value) => textOf(value) !== '') || isObject(citation);
}

const contentIf = (isContent: boolean): OpeningEvent => (isContent ? 'content' : 'waiting');
