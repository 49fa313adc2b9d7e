import type { ReplyEvent, ReplyPart } from './reply';
import { TokenCounter } from './token-count';

const CHARS_PER_TOKEN = 4;

/** Collects the text of a reply, to count it if the provider reports no figures. */
export class ReplyText {
  readonly #texts = new Map<string, string>();
  #events = 0;
  #chars = 0;

  addEvents(events: readonly ReplyEvent[]): void {
    for (const event of events) {
      this.#events++;
      if (event.kind === 'text' || event.kind === 'thinking') this.#add(event.kind, event.text);
      else if (event.kind === 'tool_call') this.#add('names', event.name);
      else if (event.kind === 'tool_arguments') this.#add(`call ${event.call}`, event.text);
    }
  }

  addParts(parts: readonly ReplyPart[]): void {
    for (const [index, part] of parts.entries()) {
      if (part.kind === 'text' || part.kind === 'thinking') this.#add(part.kind, part.text);
      else if (part.kind === 'tool_call') {
        this.#add('names', part.name);
        this.#add(`call ${index}`, part.arguments);
      }
    }
  }

  /** Estimated tokens; cheap. */
  estimate(): number {
    return Math.max(this.#events, Math.ceil(this.#chars / CHARS_PER_TOKEN));
  }

  count(): number {
    const counter = new TokenCounter();
    for (const text of this.#texts.values()) counter.addText(text);
    return counter.tokens;
  }

  #add(where: string, text: string): void {
    this.#chars += text.length;
    this.#texts.set(where, (this.#texts.get(where) ?? '') + text);
  }
}
