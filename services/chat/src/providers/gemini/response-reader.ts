import { listOf, membersOf, textOf } from '@gateway/upstream';
import type { ReplyEvent } from '../../domain/reply';
import { fitToolId } from '../../domain/tool-ids';
import { objectJson } from '../../json/exact-json';
import { readFinishReason } from './finish-reason';
import { plainSignature, textSignature } from './signed-part';

const NOTHING: readonly ReplyEvent[] = [];

/**
 * Reads GenerateContentResponse objects: the whole reply, or the chunks of a stream, which have the same shape.
 * Only the first candidate, for no more are asked for. Parts of other kinds (code that Google ran, images)
 * are passed over.
 */
export class ResponseReader {
  readonly #newId: () => string;
  #calls = 0;
  #ended = false;

  /** @param newId for a call that has none, unique */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** @throws Error when the provider broke off, or a part is not of this format */
  read(response: Record<string, unknown>): readonly ReplyEvent[] {
    if (response.error) throw new Error(`broken off: ${statusOf(response.error)}`);
    // What comes after the end can only be figures.
    if (this.#ended) return NOTHING;
    const candidate = membersOf(listOf(response.candidates)[0]);
    const events: ReplyEvent[] = [];
    for (const part of listOf(membersOf(candidate.content).parts)) this.#readPart(membersOf(part), events);
    if (typeof candidate.finishReason === 'string') {
      events.push({ kind: 'stop', stop: readFinishReason(candidate.finishReason, this.#calls) });
      this.#ended = true;
    } else if (typeof membersOf(response.promptFeedback).blockReason === 'string') {
      // The prompt was refused: a 200 without candidates.
      events.push({ kind: 'stop', stop: 'refusal' });
      this.#ended = true;
    }
    return events;
  }

  #readPart(part: Record<string, unknown>, events: ReplyEvent[]): void {
    const signature = textOf(part.thoughtSignature);
    if (part.functionCall) {
      this.#readCall(membersOf(part.functionCall), signature, events);
      return;
    }
    const text = textOf(part.text);
    if (part.thought === true) {
      if (text !== '') events.push({ kind: 'thinking', text });
      if (signature !== '') {
        events.push({ kind: 'thinking_signature', signature: plainSignature(signature) });
      }
      return;
    }
    if (text !== '') events.push({ kind: 'text', text });
    if (signature !== '') events.push({ kind: 'thinking_signature', signature: textSignature(signature) });
  }

  /** A call comes whole, however long it is. */
  #readCall({ id, name, args }: Record<string, unknown>, signature: string, events: ReplyEvent[]): void {
    if (typeof name !== 'string' || name === '') throw new Error('a function call without a name');
    const call = this.#calls++;
    events.push({
      kind: 'tool_call',
      call,
      id: typeof id === 'string' && id !== '' ? fitToolId(id) : this.#newId(),
      name,
      ...(signature !== '' && { signature: plainSignature(signature) }),
    });
    events.push({ kind: 'tool_arguments', call, text: objectJson(args) });
  }
}

/** Of Google's own words, for the log: the message could quote the call. */
function statusOf(error: unknown): string {
  const { status, code } = membersOf(error);
  return typeof status === 'string' && /^[A-Z_]{1,40}$/.test(status) ? status : `code ${Number(code)}`;
}
