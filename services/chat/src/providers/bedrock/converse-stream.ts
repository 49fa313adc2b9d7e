import { membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces } from '../../domain/argument-pieces';
import type { ReplyEvent, StopReason, StreamReader } from '../../domain/reply';
import type { TokenUsage } from '../../domain/usage';
import { isErrorEvent } from '../../sse/error-event';
import { dataOf, parseData } from '../../sse/sse-data';
import { readConverseUsage } from './converse-usage';
import { ownSignature, readToolUse } from './read-converse';
import { readStopReason, readStopSequence } from './stop-reason';

/** A block whose end has not arrived. Only calls are announced; the first piece tells the kind of the others. */
interface OpenBlock {
  /** Pieces of the signature of its thinking, joined. */
  signature: string;
  /** Pieces of redacted thinking, in base64. */
  readonly redacted: string[];
  /** Undefined: not a tool call. */
  readonly call: number | undefined;
  readonly input: ArgumentPieces;
}

const NOTHING: readonly ReplyEvent[] = [];
const ERROR_TYPE = /^[A-Za-z]{1,64}$/;

/**
 * Reads the events of ConverseStream, as `toServerSentEvents` writes them (SDK 3.1164, `ConverseStreamOutput`). The stream is
 * complete with `messageStop` and the `metadata` that follows it, or the end of the connection; unknown events and blocks of other kinds are ignored.
 */
export class ConverseStream implements StreamReader {
  readonly #blocks = new Map<unknown, OpenBlock>();
  #usage: TokenUsage | undefined;
  #calls = 0;
  #isStopped = false;
  /** Thrown once the usage, which follows it, has been read. */
  #failure: unknown;
  #isOver = false;

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get ended(): boolean {
    return this.#isStopped && this.#isOver;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const data = parseData(event);
    if (!data) {
      if (dataOf(event) === '') return NOTHING;
      throw new Error('stream event is not a JSON object');
    }
    if (isErrorEvent(event, data)) throw brokenOff(data);
    const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = data;
    if (contentBlockDelta) return this.#continue(membersOf(contentBlockDelta));
    if (contentBlockStart) return this.#begin(membersOf(contentBlockStart));
    if (contentBlockStop) return this.#close(membersOf(contentBlockStop).contentBlockIndex);
    if (messageStop) return this.#stop(membersOf(messageStop));
    if (metadata) {
      this.#usage = readConverseUsage(membersOf(metadata).usage);
      return this.end();
    }
    return NOTHING;
  }

  end(): readonly ReplyEvent[] {
    this.#isOver = true;
    if (this.#failure !== undefined) throw this.#failure;
    return NOTHING;
  }

  #begin({ contentBlockIndex: index, start }: Record<string, unknown>): readonly ReplyEvent[] {
    const { toolUse } = membersOf(start);
    if (!toolUse) return NOTHING;
    const call = this.#calls++;
    this.#blocks.set(index, { ...newBlock(), call });
    return [{ kind: 'tool_call', call, ...readToolUse(membersOf(toolUse)) }];
  }

  #continue({ contentBlockIndex: index, delta }: Record<string, unknown>): readonly ReplyEvent[] {
    const { text, reasoningContent, toolUse } = membersOf(delta);
    if (typeof text === 'string') return piece('text', text);
    let block = this.#blocks.get(index);
    if (toolUse) {
      if (block?.call === undefined) throw new Error('input of a tool call that has not started');
      const text = block.input.add(textOf(membersOf(toolUse).input));
      return text === '' ? NOTHING : [{ kind: 'tool_arguments', call: block.call, text }];
    }
    if (!reasoningContent) return NOTHING;
    if (!block) {
      block = newBlock();
      this.#blocks.set(index, block);
    }
    const { text: thought, signature, redactedContent } = membersOf(reasoningContent);
    block.signature += textOf(signature);
    if (textOf(redactedContent) !== '') block.redacted.push(textOf(redactedContent));
    return piece('thinking', textOf(thought));
  }

  #close(index: unknown): readonly ReplyEvent[] {
    const block = this.#blocks.get(index);
    if (!block) return NOTHING;
    this.#blocks.delete(index);
    return closing(block);
  }

  #stop({ stopReason, additionalModelResponseFields }: Record<string, unknown>): readonly ReplyEvent[] {
    if (typeof stopReason !== 'string') throw new Error('message ended without a stop reason');
    const left = [...this.#blocks.keys()].flatMap((index) => this.#close(index));
    const stop = this.#reasonOf(stopReason);
    if (stop === undefined) return left;
    const stopSequence = readStopSequence(additionalModelResponseFields);
    this.#isStopped = true;
    return [...left, { kind: 'stop', stop, ...(stopSequence !== undefined && { stopSequence }) }];
  }

  #reasonOf(stopReason: string): StopReason | undefined {
    try {
      return readStopReason(stopReason, this.#calls);
    } catch (error) {
      this.#failure = error;
      return undefined;
    }
  }
}

const newBlock = (): OpenBlock => ({
  signature: '',
  redacted: [],
  call: undefined,
  input: new ArgumentPieces(),
});

/** The parts of a block that are known only when it ends. */
function closing({ signature, redacted, call, input }: OpenBlock): readonly ReplyEvent[] {
  if (call !== undefined)
    return input.isText ? NOTHING : [{ kind: 'tool_arguments', call, text: input.end() || '{}' }];
  if (redacted.length > 0) return [{ kind: 'redacted_thinking', data: ownSignature(joinBase64(redacted)) }];
  return signature === '' ? NOTHING : [{ kind: 'thinking_signature', signature: ownSignature(signature) }];
}

function joinBase64(pieces: readonly string[]): string {
  if (pieces.length === 1) return pieces[0]!;
  return Buffer.concat(pieces.map((each) => Buffer.from(each, 'base64'))).toString('base64');
}

function piece(kind: 'text' | 'thinking', text: string): readonly ReplyEvent[] {
  return text === '' ? NOTHING : [{ kind, text }];
}

/** Contains only the type of the exception; its message may quote the caller's text. */
function brokenOff({ error }: Record<string, unknown>): Error {
  const type = textOf(membersOf(error).type);
  return new Error(`provider sent an exception: ${ERROR_TYPE.test(type) ? type : 'unknown'}`);
}
