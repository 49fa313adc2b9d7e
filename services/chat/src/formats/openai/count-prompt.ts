import { countTokens } from '../../domain/token-count';
import type { ChatCompletionBody } from './chat-schema';

// OpenAI's published rule for chat prompts (its cookbook on counting tokens): every message is framed by
// three tokens, a name costs one more, and the reply is primed with three. Media is left out: no public rule.
const MESSAGE_TOKENS = 3;
const NAME_TOKENS = 1;
const PRIMING_TOKENS = 3;

/** Input tokens of a request whose provider gave no figure. */
export function countPrompt(body: ChatCompletionBody): number {
  let tokens = PRIMING_TOKENS;
  for (const message of body.messages) tokens += countMessage(message);
  for (const tool of body.tools ?? []) tokens += countTokens(JSON.stringify(tool));
  return tokens;
}

function countMessage(message: ChatCompletionBody['messages'][number]): number {
  let tokens = MESSAGE_TOKENS + countTokens(message.role);
  if (message.name) tokens += NAME_TOKENS + countTokens(message.name);
  if (typeof message.content === 'string') tokens += countTokens(message.content);
  else for (const part of message.content ?? []) if (part.type === 'text') tokens += countTokens(part.text);
  for (const call of message.tool_calls ?? []) {
    if (call.function) tokens += countTokens(call.function.name) + countTokens(call.function.arguments);
  }
  return tokens;
}
