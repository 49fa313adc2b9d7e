import type { JsonObject } from '@gateway/upstream';

/** Converts replies of a provider that sends a stream where a complete reply was asked for, or the reverse. */
export interface ReplyFraming {
  /** Returns a complete reply as the events of its stream. */
  toStream(reply: JsonObject): Buffer;
  /**
   * Returns the events of a stream as its complete reply; undefined if it is truncated.
   * @param isMarked the stream has ended with `[DONE]`
   */
  toWhole(events: readonly JsonObject[], isMarked: boolean): JsonObject | undefined;
}
