import type { IncomingMessage } from 'node:http';
import { LINK_BODY_WINDOW_BYTES } from '@gateway/link';
import { type BodyLimits, tooLarge, tooManyAtOnce } from './read-body';

/** What one upload can hold here: what waits for the next service to take, and what waits behind that. */
const HELD_BYTES = 4 * LINK_BODY_WINDOW_BYTES;

/**
 * An upload's part of what all bodies may hold. Returns what gives it back, once however often it is called.
 * @throws GatewayError when it says that it is too large, or too many bodies are under way
 */
export function takeUploadShare(
  request: IncomingMessage,
  { room, unfinished, maxBytes }: BodyLimits,
  sender: string,
): () => void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  if (!room.take(sender, HELD_BYTES)) throw tooManyAtOnce();
  if (!unfinished.take(sender, HELD_BYTES, room.leftBytes)) {
    room.give(sender, HELD_BYTES);
    throw tooManyAtOnce();
  }
  let isGiven = false;
  return () => {
    if (isGiven) return;
    isGiven = true;
    unfinished.give(sender, HELD_BYTES);
    room.give(sender, HELD_BYTES);
  };
}
