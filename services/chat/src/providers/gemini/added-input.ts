import type { Conversation, UserPart } from '../../domain/conversation';

/** A space as the user's text at the start, and one at the end, with the turn markers. */
const PLACEHOLDER_TOKENS = 16;
/** Text before media of a result, in addition to the tool's name. */
const MEDIA_TOKENS = 32;
/** Text in place of a result, in addition to the tool's name, and of a signature's placeholder. */
const CALL_TOKENS = 64;

/**
 * Bounds the text that the translation adds; bytes bound tokens. Google bills no instructions of its own. Linked files are
 * bounded by the context only: behind the address of an image there may be a video (a YouTube address is always treated as
 * one).
 */
export function addedInputTokens({ turns }: Conversation): number {
  let tokens = PLACEHOLDER_TOKENS;
  for (const turn of turns) {
    if (turn.role === 'user' && turn.parts.some(isFetched)) return Number.MAX_SAFE_INTEGER;
    if (turn.role !== 'assistant') continue;
    for (const part of turn.parts) {
      if (part.kind !== 'tool_call') continue;
      // Once for its response, once for the media of its result.
      tokens += CALL_TOKENS + MEDIA_TOKENS + 2 * Buffer.byteLength(part.name);
    }
  }
  return tokens;
}

function isFetched(part: UserPart): boolean {
  if (part.kind === 'tool_result') return part.parts.some(isFetched);
  return part.kind === 'image' && part.source.kind === 'url';
}
