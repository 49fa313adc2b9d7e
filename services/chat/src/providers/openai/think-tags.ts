import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { parseExactData } from '../../sse/sse-data';

const OPENING = '<think>';
const CLOSING = '</think>';

interface SplitText {
  readonly thinking: string;
  readonly text: string;
}

/** Returns a thought as it is sent back to models that write it between tags. */
export const inThinkTags = (thought: string): string => `${OPENING}${thought}${CLOSING}`;

/** Separates the thinking at the start of a text, which arrives in pieces. Tags later in the text are text. */
class ThinkTagSplitter {
  #state: 'start' | 'thinking' | 'text' = 'start';
  /** Received, but not yet known to be thinking or text. */
  #held = '';
  /** Whitespace after a tag is omitted. */
  #trims = false;

  /** @param isOver nothing follows, so that nothing is held back for a tag that may have begun */
  push(piece: string, isOver: boolean): SplitText {
    this.#held += piece;
    if (this.#state === 'start') this.#readStart();
    let thinking = this.#state === 'thinking' ? this.#readThinking() : '';
    if (isOver && this.#state === 'thinking') thinking += this.#take(this.#held.length);
    if (isOver) this.#state = 'text';
    return { thinking, text: this.#state === 'text' ? this.#take(this.#held.length) : '' };
  }

  #readStart(): void {
    const begun = this.#held.trimStart();
    if (begun.length < OPENING.length && OPENING.startsWith(begun)) return;
    if (!begun.startsWith(OPENING)) {
      this.#state = 'text';
      return;
    }
    this.#enter('thinking', begun.slice(OPENING.length));
  }

  #readThinking(): string {
    const end = this.#held.indexOf(CLOSING);
    if (end === -1) return this.#take(this.#held.length - lengthOfBegunTag(this.#held));
    const thought = this.#take(end);
    this.#enter('text', this.#held.slice(CLOSING.length));
    return thought;
  }

  #enter(state: 'thinking' | 'text', rest: string): void {
    this.#state = state;
    this.#held = rest;
    this.#trims = true;
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (!this.#trims) return taken;
    const trimmed = taken.trimStart();
    this.#trims = trimmed === '';
    return trimmed;
  }
}

/** Returns how many characters at the end may be the beginning of the closing tag. */
function lengthOfBegunTag(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSING.slice(0, length))) return length;
  }
  return 0;
}

/** Moves thinking from the content of a stream's chunks to `reasoning_content`. */
export class ThinkTagChunks {
  /** By the index of the choice. */
  readonly #choices = new Map<unknown, ThinkTagSplitter>();

  /** Returns the same event if nothing in it changes. */
  repaired(event: Buffer): Buffer {
    const chunk = parseExactData(event);
    const read = chunk && this.read(chunk);
    return read === chunk ? event : Buffer.from(`data: ${JSON.stringify(read)}\n\n`);
  }

  /** Returns the same chunk if nothing in it changes. */
  read(chunk: JsonObject): JsonObject {
    const choices = listOf(chunk.choices);
    const read = choices.map((choice) => (isObject(choice) ? this.#readChoice(choice) : choice));
    return read.every((choice, at) => choice === choices[at]) ? chunk : { ...chunk, choices: read };
  }

  #readChoice(choice: JsonObject): JsonObject {
    const delta = membersOf(choice.delta);
    const content = textOf(delta.content);
    const isOver = choice.finish_reason != null || listOf(delta.tool_calls).length > 0;
    if (content === '' && !isOver) return choice;
    let splitter = this.#choices.get(choice.index);
    if (!splitter) {
      splitter = new ThinkTagSplitter();
      this.#choices.set(choice.index, splitter);
    }
    const split = splitter.push(content, isOver);
    return isUnchanged(split, content) ? choice : { ...choice, delta: withSplit(delta, split) };
  }
}

/** Moves thinking from the content of a complete reply to `reasoning_content`; the same reply if there is none. */
export function withoutThinkTags(reply: JsonObject): JsonObject {
  const choices = listOf(reply.choices).map(membersOf);
  const read = choices.map(readWhole);
  return read.every((choice, at) => choice === choices[at]) ? reply : { ...reply, choices: read };
}

function readWhole(choice: JsonObject): JsonObject {
  const message = membersOf(choice.message);
  const content = textOf(message.content);
  const split = new ThinkTagSplitter().push(content, true);
  return isUnchanged(split, content) ? choice : { ...choice, message: withSplit(message, split) };
}

const isUnchanged = ({ thinking, text }: SplitText, content: string): boolean =>
  thinking === '' && text === content;

function withSplit(holder: JsonObject, { thinking, text }: SplitText): JsonObject {
  const thought = textOf(holder.reasoning_content) + thinking;
  return { ...holder, content: text, ...(thought !== '' && { reasoning_content: thought }) };
}
