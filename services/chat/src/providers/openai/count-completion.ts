import { listOf, membersOf } from '@gateway/upstream';
import { TokenCounter } from '../../domain/token-count';
import { thoughtOf } from './chunk-text';
import { readContentPart, readThinking } from './reply-json';
import { countSpeech } from './speech';

/** Counts the output tokens of a completion without figures. */
export function countCompletion(completion: Record<string, unknown>): number {
  const counter = new TokenCounter();
  for (const choice of Array.isArray(completion.choices) ? completion.choices : []) {
    const message = (choice as { message?: Record<string, unknown> } | null)?.message ?? {};
    const { transcript } = membersOf(message.audio);
    const thought = readThinking(message).map(thoughtOf).join('');
    for (const part of [message.content, thought, message.refusal, transcript]) {
      if (typeof part === 'string') counter.addText(part);
    }
    for (const part of listOf(message.content)) counter.addText(readContentPart(membersOf(part)).text);
    for (const calls of [message.tool_calls, message.function_call])
      if (calls) counter.addText(JSON.stringify(calls));
  }
  counter.addTokens(countSpeech(completion));
  return counter.tokens;
}
