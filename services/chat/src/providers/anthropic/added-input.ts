import type { Conversation } from '../../domain/conversation';

/** Of what Anthropic adds to a call with tools; its documentation lists 159 to 900. */
const TOOLS_PROMPT_TOKENS = 1_000;
/** Of what it adds to explain a format, "slightly more" and no figure, or of what we say instead. */
const FORMAT_PROMPT_TOKENS = 1_000;
/** Of the words with which a conversation is made to begin and end. What we say for a lost result is shorter than its JSON. */
const BORDER_TOKENS = 40;

export function addedInputTokens({ tools, output }: Conversation): number {
  return (
    BORDER_TOKENS +
    (tools.length > 0 ? TOOLS_PROMPT_TOKENS : 0) +
    (output.kind === 'text' ? 0 : FORMAT_PROMPT_TOKENS)
  );
}
