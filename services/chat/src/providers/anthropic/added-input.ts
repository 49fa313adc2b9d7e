import type { Conversation } from '../../domain/conversation';

/** Instructions that Anthropic adds to a call with tools; its documentation lists 159 to 900 tokens. */
const TOOLS_PROMPT_TOKENS = 1_000;
/** Description of an output format: Anthropic documents "slightly more" and no figure. Also bounds our own description. */
const FORMAT_PROMPT_TOKENS = 1_000;
/** Text that makes a conversation start and end with the user. The text for a lost result is shorter than its JSON. */
const BORDER_TOKENS = 40;

export function addedInputTokens({ tools, output }: Conversation): number {
  return (
    BORDER_TOKENS +
    (tools.length > 0 ? TOOLS_PROMPT_TOKENS : 0) +
    (output.kind === 'text' ? 0 : FORMAT_PROMPT_TOKENS)
  );
}
