import { listOf, membersOf, textOf } from '@gateway/upstream';
import { plainSignature, textSignature } from '../../domain/gemini-signature';
import type { ReplyEvent } from '../../domain/reply';
import { objectJson } from '../../json/exact-json';
import { readFinishReason } from './finish-reason';
import { readCitations, readSearches } from './grounding';
import { PartialArguments } from './partial-arguments';

const NOTHING: readonly ReplyEvent[] = [];

/**
 * Reads GenerateContentResponse objects: a complete reply, or the chunks of a stream, which have the same shape. Reads only
 * the first candidate, because only one is requested. Parts of other kinds (code that Google ran, images) are ignored.
 */
export class ResponseReader {
  readonly #newId: () => string;
  #calls = 0;
  #hasText = false;
  /** The arguments of the last call while they arrive in pieces. */
  #partial: PartialArguments | undefined;
  /** Whether the last call has its signature, which may be repeated with each piece. */
  #isSigned = false;
  /** Of the last chunk that has it, which replaces those of earlier ones. */
  #grounding: Record<string, unknown> = {};
  #ended = false;

  /** @param newId creates a unique id for a call without one */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** @throws Error when the provider reports a failure, or a part does not match the format */
  read(response: Record<string, unknown>): readonly ReplyEvent[] {
    if (response.error) throw new Error(`broken off: ${statusOf(response.error)}`);
    // After the end only usage may follow.
    if (this.#ended) return NOTHING;
    const candidate = membersOf(listOf(response.candidates)[0]);
    const events: ReplyEvent[] = [];
    for (const part of listOf(membersOf(candidate.content).parts)) this.#readPart(membersOf(part), events);
    if (candidate.groundingMetadata) this.#grounding = membersOf(candidate.groundingMetadata);
    if (typeof candidate.finishReason === 'string') this.#end(candidate.finishReason, events);
    else if (typeof membersOf(response.promptFeedback).blockReason === 'string') {
      // The prompt was refused: a 200 without candidates.
      events.push({ kind: 'stop', stop: 'refusal' });
      this.#ended = true;
    }
    return events;
  }

  /** Reads a complete reply, which has ended even if it gives no reason. @throws Error as `read` */
  readWhole(response: Record<string, unknown>): readonly ReplyEvent[] {
    const events = [...this.read(response)];
    if (!this.#ended) this.#end('', events);
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
    if (text !== '') {
      this.#hasText = true;
      events.push({ kind: 'text', text });
    }
    if (signature !== '') events.push({ kind: 'thinking_signature', signature: textSignature(signature) });
  }

  #end(reason: string, events: ReplyEvent[]): void {
    this.#endCall(events);
    events.push(...readSearches(this.#grounding, this.#newId), ...readCitations(this.#grounding));
    const saysSomething = this.#hasText || this.#calls > 0;
    events.push({ kind: 'stop', stop: readFinishReason(reason, this.#calls, saysSomething) });
    this.#ended = true;
  }

  /** A call arrives complete or in parts: the first has its name, and all but the last have `willContinue`. */
  #readCall(called: Record<string, unknown>, signature: string, events: ReplyEvent[]): void {
    const { id, name, args, partialArgs, willContinue } = called;
    if (typeof name !== 'string' || name === '') {
      if (!this.#partial) throw new Error('function call without a name');
      if (signature !== '' && !this.#isSigned)
        events.push({ kind: 'call_signature', call: this.#calls - 1, signature: plainSignature(signature) });
      this.#isSigned ||= signature !== '';
    } else {
      this.#endCall(events);
      this.#isSigned = signature !== '';
      const call = this.#calls++;
      events.push({
        kind: 'tool_call',
        call,
        id: textOf(id) || this.#newId(),
        name,
        ...(signature !== '' && { signature: plainSignature(signature) }),
      });
      if (willContinue !== true && !partialArgs) {
        events.push({ kind: 'tool_arguments', call, text: objectJson(args) });
        return;
      }
      this.#partial = new PartialArguments();
    }
    this.#partial?.add(partialArgs);
    if (willContinue !== true) this.#endCall(events);
  }

  /** The arguments are emitted complete: their pieces name paths, and JSON can be written only in order. */
  #endCall(events: ReplyEvent[]): void {
    if (!this.#partial) return;
    events.push({ kind: 'tool_arguments', call: this.#calls - 1, text: objectJson(this.#partial.value) });
    this.#partial = undefined;
  }
}

/** Only Google's own codes, for the log: the message could quote the call. */
function statusOf(error: unknown): string {
  const { status, code } = membersOf(error);
  return typeof status === 'string' && /^[A-Z_]{1,40}$/.test(status) ? status : `code ${Number(code)}`;
}
