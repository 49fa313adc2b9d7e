import { listOf, membersOf, textOf } from '@gateway/upstream';
import { parseData } from '../../sse/sse-data';
import type { TextReader } from '../uncounted-events';
import { readThinking } from './reply-json';

interface ChoiceText {
  content: string;
  reasoning: string;
  toolNames: string;
  toolArguments: string;
}

/** Collects the text of all choices of chat completion chunks, for counting. */
export class ChunkText implements TextReader {
  readonly #choices = new Map<number, ChoiceText>();

  read(event: Buffer): void {
    for (const choice of choicesOf(parseData(event))) this.#readChoice(choice);
  }

  get texts(): Iterable<string> {
    return [...this.#choices.values()].flatMap((text) => [
      text.content,
      text.reasoning,
      text.toolNames,
      text.toolArguments,
    ]);
  }

  #readChoice(choice: Record<string, unknown>): void {
    const index = typeof choice.index === 'number' ? choice.index : 0;
    let text = this.#choices.get(index);
    if (!text) {
      text = { content: '', reasoning: '', toolNames: '', toolArguments: '' };
      this.#choices.set(index, text);
    }
    const delta = membersOf(choice.delta);
    // Text completions have `text` instead of a delta.
    text.content += textOf(delta.content) + textOf(delta.refusal) + textOf(choice.text);
    text.content += textOf(membersOf(delta.audio).transcript);
    text.reasoning += readThinking(delta).map(thoughtOf).join('');
    for (const call of [...listOf(delta.tool_calls), { function: delta.function_call }]) {
      const { function: called, custom } = membersOf(call);
      const { name, arguments: args, input } = membersOf(called ?? custom);
      text.toolNames += textOf(name);
      text.toolArguments += textOf(args) + textOf(input);
    }
  }
}

/** Redacted thinking can't be counted. */
export const thoughtOf = (part: ReturnType<typeof readThinking>[number]): string =>
  part.kind === 'thinking' ? part.text : '';

export function choicesOf(chunk: Record<string, unknown> | undefined): Record<string, unknown>[] {
  return Array.isArray(chunk?.choices) ? chunk.choices.map(membersOf) : [];
}
