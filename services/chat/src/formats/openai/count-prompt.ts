import { TokenCounter } from '../../domain/token-count';
import type { ChatCompletionBody } from './chat-schema';

// OpenAI's published rule for chat prompts (its cookbook on counting tokens): every message is framed by
// three tokens, a name costs one more, and the reply is primed with three. Media is left out: no public rule.
const MESSAGE_TOKENS = 3;
const NAME_TOKENS = 1;
const PRIMING_TOKENS = 3;

/** Input tokens of a request whose provider gave no figure. */
export function countPrompt(body: ChatCompletionBody): TokenCounter {
  const counter = new TokenCounter();
  counter.addTokens(PRIMING_TOKENS);
  for (const message of body.messages) countMessage(message, counter);
  for (const tool of body.tools ?? []) counter.addText(JSON.stringify(tool));
  return counter;
}

function countMessage(message: ChatCompletionBody['messages'][number], counter: TokenCounter): void {
  counter.addTokens(MESSAGE_TOKENS);
  counter.addText(message.role);
  if (message.name) {
    counter.addTokens(NAME_TOKENS);
    counter.addText(message.name);
  }
  if (typeof message.content === 'string') counter.addText(message.content);
  else for (const part of message.content ?? []) if (part.type === 'text') counter.addText(part.text);
  for (const call of message.tool_calls ?? []) {
    if (!call.function) continue;
    counter.addText(call.function.name);
    counter.addText(call.function.arguments);
  }
}
