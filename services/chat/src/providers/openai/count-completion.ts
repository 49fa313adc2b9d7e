import { listOf, membersOf } from '@gateway/upstream';
import { TokenCounter } from '../../domain/token-count';
import { readContentPart } from './reply-json';

/** Counts the output tokens of a completion without figures. */
export function countCompletion(completion: Record<string, unknown>): number {
  const counter = new TokenCounter();
  for (const choice of Array.isArray(completion.choices) ? completion.choices : []) {
    const message = (choice as { message?: Record<string, unknown> } | null)?.message ?? {};
    for (const part of [message.content, message.reasoning_content || message.reasoning, message.refusal]) {
      if (typeof part === 'string') counter.addText(part);
    }
    for (const part of listOf(message.content)) counter.addText(readContentPart(membersOf(part)).text);
    if (message.tool_calls) counter.addText(JSON.stringify(message.tool_calls));
  }
  return counter.tokens;
}
