import { createHash } from 'node:crypto';

/** The ids that every provider accepts: OpenAI's maximum length, which is the shortest, and Anthropic's characters. */
const FITTING = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Returns the id itself, or one derived from its hash if some provider would refuse it. The result is the same for the call
 * and for its result, in any turn of the conversation.
 */
export function fitToolId(id: string): string {
  if (FITTING.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('base64url').slice(0, 24)}`;
}

/** Returns the id itself, or as `fitToolId` does if it is too long. */
export const shortenToolId =
  (maxChars: number) =>
  (id: string): string =>
    id.length <= maxChars ? id : fitToolId(id);

/**
 * Returns an id for a call without one, unique in the conversation.
 * @param replyId the provider's; a random one is used instead if there is none @param call its number
 */
export const generatedToolId = (replyId: unknown, call: number): string =>
  fitToolId(`${typeof replyId === 'string' && replyId !== '' ? replyId : crypto.randomUUID()}:${call}`);
