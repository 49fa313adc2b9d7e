import { maxAudioSeconds } from './audio-duration';
import type { AssistantPart, AudioPart, Conversation, UserPart } from './conversation';

/** Adds up tokens, counted or estimated. */
interface TokenSum {
  addTokens(tokens: number): void;
  addText(text: string): void;
}

// OpenAI's published rule for chat prompts (its cookbook on counting tokens): every message is framed by three tokens, and
// the reply is primed with three. For providers that count differently this is an estimate.
const MESSAGE_TOKENS = 3;
const PRIMING_TOKENS = 3;
/** The minimum that OpenAI documents for an image; only the provider knows the tokens of larger ones. */
const MEDIA_PART_TOKENS = 85;

/**
 * Adds the input tokens of a call to a sum and returns the sum.
 * @param audioTokensPerSecond absent: audio is counted elsewhere
 */
export function countConversation<Sum extends TokenSum>(
  conversation: Conversation,
  counter: Sum,
  audioTokensPerSecond = 0,
): Sum {
  counter.addTokens(PRIMING_TOKENS);
  if (conversation.system.length > 0) counter.addTokens(MESSAGE_TOKENS);
  for (const part of conversation.system) counter.addText(part.text);
  for (const turn of conversation.turns) {
    counter.addTokens(MESSAGE_TOKENS);
    counter.addText(turn.role);
    for (const part of turn.parts) {
      if (part.kind === 'audio') counter.addTokens(audioTokens(part, audioTokensPerSecond));
      else countPart(part, counter);
    }
  }
  for (const tool of conversation.tools) counter.addText(JSON.stringify(tool));
  return counter;
}

function audioTokens({ source }: AudioPart, perSecond: number): number {
  if (perSecond === 0) return 0;
  const seconds = source.kind === 'base64' ? maxAudioSeconds(source.data, source.mediaType) : undefined;
  return Math.ceil((seconds ?? 0) * perSecond);
}

function countPart(part: Exclude<UserPart | AssistantPart, AudioPart>, counter: TokenSum): void {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      counter.addText(part.text);
      break;
    case 'tool_call':
      counter.addText(part.name);
      counter.addText(part.arguments);
      break;
    case 'tool_result':
      for (const inner of part.parts) countPart(inner, counter);
      break;
    case 'document':
      if (part.source.kind === 'text') counter.addText(part.source.text);
      else counter.addTokens(MEDIA_PART_TOKENS);
      break;
    case 'image':
      counter.addTokens(MEDIA_PART_TOKENS);
      break;
    case 'redacted_thinking':
      break;
  }
}
