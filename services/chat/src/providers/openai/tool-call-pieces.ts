import { type JsonObject, membersOf, textOf } from '@gateway/upstream';
import type { ReplyEvent } from '../../domain/reply';
import { generatedToolId, MAX_TOOL_CALLS, readArguments, readCallSignature } from './reply-json';

interface Call {
  /** Its number in the reply. */
  readonly call: number;
  id: string;
  /** Its start event was emitted. */
  started: boolean;
  /** Arguments that arrived before its name. */
  early: string;
}

/**
 * Joins the pieces of streamed tool calls. The format's key is `index`; some providers omit it, give every call the same,
 * repeat id and name in each piece, or send the complete call at once.
 */
export class ToolCallPieces {
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();

  get count(): number {
    return this.#calls.length;
  }

  /** Adds the piece's events to `events`. @throws Error for more calls than a reply may have */
  read(piece: JsonObject, replyId: unknown, events: ReplyEvent[]): void {
    const called = membersOf(piece.function);
    const id = textOf(piece.id);
    const name = textOf(called.name);
    const call = this.#find(piece.index, id, name);
    const text = readArguments(called.arguments);
    if (!call.started) {
      if (id !== '') call.id = id;
      if (name === '') {
        call.early += text;
        return;
      }
      call.started = true;
      const value = readCallSignature(piece);
      events.push({
        kind: 'tool_call',
        call: call.call,
        id: call.id || generatedToolId(replyId, call.call),
        name,
        ...(value !== '' && { signature: { wire: 'openai', value } }),
      });
    }
    const pieces = call.early + text;
    call.early = '';
    if (pieces !== '') events.push({ kind: 'tool_arguments', call: call.call, text: pieces });
  }

  /** @throws Error when a call has no name */
  end(): void {
    if (this.#calls.some(({ started }) => !started)) throw new Error('reply has a tool call without a name');
  }

  #find(index: unknown, id: string, name: string): Call {
    const known = typeof index === 'number' ? this.#byIndex.get(index) : this.#unnumbered(id, name);
    // Another call with the same index: it has an id and a name of its own.
    const isOther = known?.started && id !== '' && id !== known.id && name !== '';
    if (known && !isOther) return known;
    if (this.#calls.length === MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
    const call: Call = { call: this.#calls.length, id: '', started: false, early: '' };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }

  /** Without an index: the call with that id, or the latest call, unless a new one starts. */
  #unnumbered(id: string, name: string): Call | undefined {
    if (id !== '') return this.#calls.find((call) => call.id === id);
    const last = this.#calls.at(-1);
    return last?.started && name !== '' ? undefined : last;
  }
}
