import { membersOf, textOf } from '@gateway/upstream';
import { parseData } from '../../sse/sse-data';
import type { TextReader } from '../uncounted-events';

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
    text.reasoning += textOf(delta.reasoning_content) || textOf(delta.reasoning);
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      const called = membersOf(membersOf(call).function);
      text.toolNames += textOf(called.name);
      text.toolArguments += textOf(called.arguments);
    }
  }
}

export function choicesOf(chunk: Record<string, unknown> | undefined): Record<string, unknown>[] {
  return Array.isArray(chunk?.choices) ? chunk.choices.map(membersOf) : [];
}
