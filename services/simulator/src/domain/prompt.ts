import type { Tokenizer } from './tokenizer';

export type PromptRole = 'developer' | 'system' | 'user' | 'assistant' | 'tool' | 'function';

/** A message, independent of the provider's format. */
export interface PromptMessage {
  readonly role: PromptRole;
  readonly name: string | null;
  readonly texts: readonly string[];
  /** Content parts other than text and audio that is understood: images, files. */
  readonly otherParts: number;
  /** Tokens of its audio; absent: none. */
  readonly audioTokens?: number;
  readonly toolCalls: readonly ToolCall[];
  /** Parts with a valid signature of the provider. */
  readonly signedParts: number;
}

export interface ToolCall {
  readonly name: string;
  /** JSON, if the model returned valid JSON. */
  readonly arguments: string;
}

export interface Prompt {
  readonly messages: readonly PromptMessage[];
  /** Tool definitions as received. */
  readonly tools: readonly unknown[];
}

const MESSAGE_TOKENS = 3;
const NAME_TOKENS = 1;
const PRIMING_TOKENS = 3;
const OTHER_PART_TOKENS = 85;

/** Returns the prompt of an image or video request. */
export const textPrompt = (text: string): Prompt => ({
  messages: [{ role: 'user', name: null, texts: [text], otherParts: 0, signedParts: 0, toolCalls: [] }],
  tools: [],
});

/** Counts tokens by OpenAI's published rule for chat prompts; docs/simulator.md describes it. */
export function countPrompt(prompt: Prompt, tokenizer: Tokenizer): number {
  let tokens = PRIMING_TOKENS;
  for (const message of prompt.messages) tokens += countMessage(message, tokenizer);
  for (const tool of prompt.tools) tokens += tokenizer.count(JSON.stringify(tool));
  return tokens;
}

function countMessage(message: PromptMessage, tokenizer: Tokenizer): number {
  let tokens = MESSAGE_TOKENS + tokenizer.count(message.role);
  if (message.name !== null) tokens += NAME_TOKENS + tokenizer.count(message.name);
  for (const text of message.texts) tokens += tokenizer.count(text);
  for (const call of message.toolCalls)
    tokens += tokenizer.count(call.name) + tokenizer.count(call.arguments);
  return tokens + message.otherParts * OTHER_PART_TOKENS + (message.audioTokens ?? 0);
}

/** Returns how many of the prompt's tokens are audio. */
export const audioTokensOf = ({ messages }: Prompt): number =>
  messages.reduce((sum, { audioTokens = 0 }) => sum + audioTokens, 0);

/** Yields the texts in which directives are searched: the last user message, then the others from last to first. */
export function* directiveTexts({ messages }: Prompt): Generator<string> {
  const lastUser = messages.findLast((message) => message.role === 'user');
  if (lastUser !== undefined) yield* lastUser.texts.toReversed();
  for (const message of messages.toReversed()) {
    if (message !== lastUser) yield* message.texts.toReversed();
  }
}

/** Returns the model's messages since the user's last question: the rounds of a tool loop. */
export function roundsOf({ messages }: Prompt): readonly PromptMessage[] {
  const directed = messages.findLastIndex((message) => message.role === 'user' && hasDirective(message));
  const asked = directed === -1 ? messages.findLastIndex((_, at) => asks(messages, at)) : directed;
  return messages.slice(asked + 1).filter((message) => message.role === 'assistant');
}

const hasDirective = ({ texts }: PromptMessage): boolean => texts.some((text) => text.includes('[[sim'));

/** What the user says directly after the results of tools belongs to them: images, which some formats put there, and reminders. */
function asks(messages: readonly PromptMessage[], at: number): boolean {
  if (messages[at]?.role !== 'user') return false;
  return messages.slice(0, at).findLast(({ role }) => role !== 'user')?.role !== 'tool';
}

/** Returns the number of parts in the history that have a valid signature of the provider. */
export function signedPartsOf({ messages }: Prompt): number {
  return messages.reduce((sum, { signedParts }) => sum + signedParts, 0);
}
