import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { agreedStop, STOP_REASONS } from '../../domain/finish-reasons';
import { withoutCosts } from '../../domain/operators-costs';
import { objectJson, parseExactObject } from '../../json/exact-json';
import { readToolUse } from './read-message';
import { reportedStop } from './stop-reason';

/**
 * Returns a complete message that passes through without what its clients can't read or send back; the same message if it needs
 * no repair: input of a call that is not an object, a call without an id, a stop reason that contradicts the content, members that
 * concern the operator. Servers that only resemble Anthropic's format send these.
 * @throws Error for a call without a name
 */
export function repairedMessage(message: JsonObject): JsonObject {
  const received = listOf(message.content);
  const content = received.map((block, at) =>
    isToolUse(block) ? repairedToolUse(block, message.id, at) : block,
  );
  const reason = agreedReason(message.stop_reason, content.filter(isToolUse).length);
  const shown = withoutCosts(message);
  const isSame = shown === message && reason === message.stop_reason;
  if (isSame && content.every((block, at) => block === received[at])) return message;
  return { ...shown, content, stop_reason: reason };
}

export const isToolUse = (block: unknown): block is JsonObject => membersOf(block).type === 'tool_use';

/** Returns the same block if it needs no repair. @param index of the block @throws Error for a block without a name */
export function repairedToolUse(block: JsonObject, messageId: unknown, index: number): JsonObject {
  const { id } = readToolUse(block, messageId, index);
  if (id === block.id && isObject(block.input)) return block;
  return { ...block, id, input: parseExactObject(objectJson(block.input)) };
}

/** Returns the same reason if it agrees with the number of calls. One that is not known may be a newer one of Anthropic's. */
export function agreedReason(reason: unknown, calls: number): unknown {
  const reported = reportedStop(reason);
  const agreed = agreedStop(reported, calls);
  const isKept = agreed === reported || (reported === undefined && calls === 0 && textOf(reason) !== '');
  return isKept ? reason : STOP_REASONS[agreed];
}
