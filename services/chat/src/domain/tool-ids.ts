import { createHash } from 'node:crypto';

/** What every provider takes: OpenAI's shortest limit, and Anthropic's letters. */
const FITTING = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * The id itself, or one made of its hash where some provider would refuse it: the same for the call and for
 * its result, whichever turn of the conversation they stand in.
 */
export function fitToolId(id: string): string {
  if (FITTING.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('base64url').slice(0, 24)}`;
}
