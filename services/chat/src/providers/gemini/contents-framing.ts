import { isObject, type JsonObject, listOf, membersOf } from '@gateway/upstream';
import type { ReplyFraming } from '../../domain/reply-framing';

/** A complete `GenerateContentResponse` is also the only one of a stream. */
export const contentsFraming: ReplyFraming = {
  toStream: (reply) => Buffer.from(`data: ${JSON.stringify(reply)}\n\n`),
  toWhole(responses) {
    const candidates = new Map<unknown, Record<string, unknown>>();
    let whole: Record<string, unknown> = {};
    for (const response of responses) {
      const { usageMetadata, candidates: pieces, ...others } = response;
      whole = { ...whole, ...others, ...(isObject(usageMetadata) && { usageMetadata }) };
      for (const piece of listOf(pieces).map(membersOf)) {
        const { index = 0 } = piece;
        candidates.set(index, joined(candidates.get(index) ?? {}, piece));
      }
    }
    const list = [...candidates.values()];
    const isRefused = typeof membersOf(whole.promptFeedback).blockReason === 'string';
    if (!isRefused && !(list.length > 0 && list.every(({ finishReason }) => finishReason))) return undefined;
    return { ...whole, candidates: list };
  },
};

function joined(earlier: JsonObject, later: JsonObject): Record<string, unknown> {
  const { content: before } = earlier;
  const { content: after } = later;
  const parts = [...listOf(membersOf(before).parts), ...listOf(membersOf(after).parts)];
  return {
    ...earlier,
    ...later,
    content: { role: 'model', ...membersOf(before), ...membersOf(after), parts },
  };
}
