import type { Tokenizer } from '../../domain/tokenizer';
import type { ChatMessage, ChatRequest } from './chat-request';

const MESSAGE_TOKENS = 3;
const NAME_TOKENS = 1;
const PRIMING_TOKENS = 3;
const OTHER_PART_TOKENS = 85;

/** OpenAI's published rule for chat prompts; README.md states it. */
export function countPrompt(request: ChatRequest, tokenizer: Tokenizer): number {
  let tokens = PRIMING_TOKENS;
  for (const message of request.messages) tokens += countMessage(message, tokenizer);
  for (const tool of request.tools) tokens += tokenizer.count(JSON.stringify(tool));
  return tokens;
}

function countMessage(message: ChatMessage, tokenizer: Tokenizer): number {
  let tokens = MESSAGE_TOKENS + tokenizer.count(message.role);
  if (message.name !== null) tokens += NAME_TOKENS + tokenizer.count(message.name);
  for (const text of message.texts) tokens += tokenizer.count(text);
  for (const call of message.toolCalls)
    tokens += tokenizer.count(call.name) + tokenizer.count(call.arguments);
  return tokens + message.otherParts * OTHER_PART_TOKENS;
}

/** Where directives are looked for: the last user message, then the others from the last to the first. */
export function* directiveTexts(messages: readonly ChatMessage[]): Generator<string> {
  const lastUser = messages.findLast((message) => message.role === 'user');
  if (lastUser !== undefined) yield* lastUser.texts.toReversed();
  for (const message of messages.toReversed()) {
    if (message !== lastUser) yield* message.texts.toReversed();
  }
}
