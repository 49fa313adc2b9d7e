import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { OpeningEvent } from '../../domain/chat-provider';

/** Blocks whose content follows; other blocks are content themselves. */
const EMPTY_AT_FIRST: ReadonlySet<unknown> = new Set(['text', 'thinking', undefined]);

/** Reads an event of a message that has had no content yet. Pings and empty block starts are not content. */
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
    case 'message_delta':
      return textOf(membersOf(event.delta).stop_reason) === '' ? 'waiting' : 'finished';
    case 'message_stop':
      return 'ended';
    default:
      return 'waiting';
  }
}

/** A signature alone belongs to thinking that is not returned. */
function saysSomething({ text, thinking, partial_json: json, signature, citation }: JsonObject): boolean {
  return [text, thinking, json, signature].some((value) => textOf(value) !== '') || isObject(citation);
}

const contentIf = (isContent: boolean): OpeningEvent => (isContent ? 'content' : 'waiting');
