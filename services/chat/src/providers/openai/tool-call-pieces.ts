import { type JsonObject, membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces } from '../../domain/argument-pieces';
import type { Signature } from '../../domain/conversation';
import type { ReplyEvent } from '../../domain/reply';
import { generatedToolId } from '../../domain/tool-ids';
import { MAX_TOOL_CALLS, readArguments, readCallSignature } from './reply-json';

interface Call {
  /** Its number in the reply; undefined until its name has arrived. */
  number: number | undefined;
  id: string;
  /** Arguments that arrived before its name. */
  early: string;
  signature?: Signature;
  readonly arguments: ArgumentPieces;
}

/**
 * Joins the pieces of streamed tool calls. The format's key is `index`; some providers omit it, give every call the same,
 * repeat id and name in each piece, or send the complete call at once.
 */
export class ToolCallPieces {
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();
  #started = 0;

  /** Number of calls that have a name. */
  get count(): number {
    return this.#started;
  }

  /** Adds the piece's events to `events`. @throws Error for more calls than a reply may have */
  read(piece: JsonObject, replyId: unknown, events: ReplyEvent[]): void {
    const called = membersOf(piece.function);
    const id = textOf(piece.id);
    const name = textOf(called.name);
    const call = this.#find(piece.index, id, name);
    let text = readArguments(called.arguments);
    const signature = call.signature ? undefined : readCallSignature(piece);
    if (signature) call.signature = signature;
    if (call.number === undefined) {
      if (id !== '') call.id = id;
      if (name === '') {
        call.early += text;
        return;
      }
      const number = this.#started++;
      call.number = number;
      call.id ||= generatedToolId(replyId, number);
      events.push({
        kind: 'tool_call',
        call: number,
        id: call.id,
        name,
        ...(call.signature && { signature: call.signature }),
      });
      text = call.early + text;
    } else if (signature) events.push({ kind: 'call_signature', call: call.number, signature });
    addArguments(call.number, call.arguments.add(text), events);
  }

  /** Returns whether the call with this number and index has received arguments. */
  hasArguments(index: number): boolean {
    const call = this.#byIndex.get(index);
    return call?.number === index && call.arguments.isText;
  }

  /** Returns the arguments that were held back. @throws Error when a call has arguments but no name */
  end(): ReplyEvent[] {
    const events: ReplyEvent[] = [];
    for (const { number, id, early, arguments: args } of this.#calls) {
      if (number !== undefined) addArguments(number, args.end(), events);
      // A call with nothing is none: some servers send one.
      else if (id + early !== '') throw new Error('reply has a tool call without a name');
    }
    return events;
  }

  /** Numbers of the calls without arguments. */
  get bare(): number[] {
    return this.#calls.flatMap(({ number, arguments: args }) =>
      number === undefined || args.isText ? [] : [number],
    );
  }

  #find(index: unknown, id: string, name: string): Call {
    const known = typeof index === 'number' ? this.#byIndex.get(index) : this.#unnumbered(id, name);
    // Another call with the same index: it has an id and a name of its own.
    const isOther = known?.number !== undefined && id !== '' && id !== known.id && name !== '';
    if (known && !isOther) return known;
    if (this.#calls.length === MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
    const call: Call = { number: undefined, id: '', early: '', arguments: new ArgumentPieces() };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }

  /** Without an index: the call with that id, or the latest call, unless a new one starts. */
  #unnumbered(id: string, name: string): Call | undefined {
    if (id !== '') return this.#calls.find((call) => call.id === id);
    const last = this.#calls.at(-1);
    return last?.number !== undefined && name !== '' ? undefined : last;
  }
}

function addArguments(call: number, text: string, events: ReplyEvent[]): void {
  if (text !== '') events.push({ kind: 'tool_arguments', call, text });
}
