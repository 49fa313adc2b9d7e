import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { parseData } from '../../../sse/sse-data';
import type { TextReader } from '../../uncounted-events';

/** Collects the text of a stream of response events, for counting. */
export class ResponseText implements TextReader {
  readonly #names: string[] = [];
  readonly #byItem = new Map<unknown, string>();

  read(event: Buffer): void {
    const { item_id: id, delta, item } = parseData(event) ?? {};
    this.#names.push(textOf(membersOf(item).name));
    if (textOf(delta) !== '') this.#byItem.set(id, (this.#byItem.get(id) ?? '') + textOf(delta));
  }

  get texts(): Iterable<string> {
    return [...this.#names, ...this.#byItem.values()];
  }
}

/** Returns the texts of a complete response's items. */
export function textsOf({ output }: JsonObject): string[] {
  return listOf(output).flatMap((entry) => {
    const { name, arguments: args, input, content, summary } = membersOf(entry);
    const parts = [...listOf(content), ...listOf(summary)].map(membersOf);
    return [name, args, input, ...parts.flatMap(({ text, refusal }) => [text, refusal])].map(textOf);
  });
}
