import { listOf, membersOf, textOf } from '@gateway/upstream';
import { objectJson } from '../../json/exact-json';
import { parseData } from '../../sse/sse-data';
import type { TextReader } from '../uncounted-events';

/** Collects the text of a stream's content blocks, for counting. */
export class MessageText implements TextReader {
  readonly #names: string[] = [];
  readonly #blocks = new Map<number, string>();

  read(event: Buffer): void {
    const data = parseData(event) ?? {};
    const index = data.index as number;
    if (data.type === 'content_block_delta') {
      const { text, thinking, partial_json: json } = membersOf(data.delta);
      this.#add(index, textOf(text) + textOf(thinking) + textOf(json));
    }
    if (data.type === 'content_block_start') this.#addBlock(index, membersOf(data.content_block));
    if (data.type === 'message_start') {
      // Complete blocks; the blocks after them are numbered from 0 all the same.
      for (const [at, block] of listOf(membersOf(data.message).content).entries()) {
        this.#addBlock(-1 - at, membersOf(block));
      }
    }
  }

  #addBlock(index: number, { name, input, text, thinking }: Record<string, unknown>): void {
    this.#names.push(textOf(name));
    const whole = objectJson(input);
    this.#add(index, textOf(text) + textOf(thinking) + (whole === '{}' ? '' : whole));
  }

  get texts(): Iterable<string> {
    return [...this.#names, ...this.#blocks.values()];
  }

  #add(index: number, text: string): void {
    this.#blocks.set(index, (this.#blocks.get(index) ?? '') + text);
  }
}
