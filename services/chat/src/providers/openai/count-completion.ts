import { listOf, membersOf } from '@gateway/upstream';
import { TokenCounter } from '../../domain/token-count';
import { readContentPart } from './reply-json';
import { countSpeech } from './speech';

/** Counts the output tokens of a completion without figures. */
export function countCompletion(completion: Record<string, unknown>): number {
  const counter = new TokenCounter();
  for (const choice of Array.isArray(completion.choices) ? completion.choices : []) {
    const message = (choice as { message?: Record<string, unknown> } | null)?.message ?? {};
    const { transcript } = membersOf(message.audio);
    const thought = message.reasoning_content || message.reasoning;
    for (const part of [message.content, thought, message.refusal, transcript]) {
      if (typeof part === 'string') counter.addText(part);
    }
    for (const part of listOf(message.content)) counter.addText(readContentPart(membersOf(part)).text);
    if (message.tool_calls) counter.addText(JSON.stringify(message.tool_calls));
  }
  counter.addTokens(countSpeech(completion));
  return counter.tokens;
}
