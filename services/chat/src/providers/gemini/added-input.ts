import type { Conversation, UserPart } from '../../domain/conversation';

/** A space in the user's place at the beginning, and one at the end, with what marks a turn. */
const SILENCES_TOKENS = 16;
/** Of what is said before media of a result, beside the name of its tool. */
const MEDIA_TOKENS = 32;
/** Of what is said in the place of a result, beside the name of its tool, and of a signature's placeholder. */
const CALL_TOKENS = 64;

/**
 * Bounds what we say ourselves; bytes bound tokens. Google bills no instructions of its own. What it fetches is
 * bounded by the context alone: behind the address of an image there may be a video (of YouTube's it makes one
 * whatever it is told).
 */
export function addedInputTokens({ turns }: Conversation): number {
  let tokens = SILENCES_TOKENS;
  for (const turn of turns) {
    if (turn.role === 'user' && turn.parts.some(isFetched)) return Number.MAX_SAFE_INTEGER;
    if (turn.role !== 'assistant') continue;
    for (const part of turn.parts) {
      if (part.kind !== 'tool_call') continue;
      // Once for its answer, once for the media of its result.
      tokens += CALL_TOKENS + MEDIA_TOKENS + 2 * Buffer.byteLength(part.name);
    }
  }
  return tokens;
}

function isFetched(part: UserPart): boolean {
  if (part.kind === 'tool_result') return part.parts.some(isFetched);
  return part.kind === 'image' && part.source.kind === 'url';
}
