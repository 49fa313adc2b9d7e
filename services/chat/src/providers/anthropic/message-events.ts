import { listOf, membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces } from '../../domain/argument-pieces';
import type { ReplyEvent, StreamReader } from '../../domain/reply';
import { type TokenUsage, withSearches } from '../../domain/usage';
import { objectJson } from '../../json/exact-json';
import { isErrorEvent } from '../../sse/error-event';
import { dataOf, parseData } from '../../sse/sse-data';
import { MessageFigures } from './anthropic-usage';
import { isSearch, ownSignature, readCitation, readResults, readToolUse } from './read-message';
import { readStopReason } from './stop-reason';

type OpenBlock =
  | { readonly kind: 'text'; text: string; readonly citations: unknown[] }
  | { readonly kind: 'search'; readonly id: string; input: string }
  /** A later signature replaces an earlier one, as in the SDK, so it is emitted when the block ends. */
  | { readonly kind: 'thinking'; signature: string }
  /** `input` was complete at the block's start; it is used unless pieces follow. */
  | {
      readonly kind: 'tool_use';
      readonly call: number;
      readonly input: unknown;
      readonly pieces: ArgumentPieces;
    }
  /** Server tools and unknown blocks: they keep their index and produce no output. */
  | { readonly kind: 'other' };

const NOTHING: readonly ReplyEvent[] = [];
const ERROR_TYPE = /^[a-z_]{1,40}$/;

/** Reads a stream of message events (SDK 1.10, `RawMessageStreamEvent`). */
export class MessageEvents implements StreamReader {
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #figures = new MessageFigures();
  /** Of the message. */
  #id: unknown;
  #calls = 0;
  /** By the id of the search. */
  readonly #queries = new Map<string, string>();
  /** The stop reason of the message's start; undefined if it had none. */
  #startReason: string | undefined;
  #stopped = false;
  #ended = false;

  /** A stream that is cut has not reported its searches. */
  get usage(): TokenUsage | undefined {
    const { usage } = this.#figures;
    return usage && withSearches(usage, this.#queries.size);
  }

  get ended(): boolean {
    return this.#ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const data = parseData(event);
    if (!data) {
      if (dataOf(event) === '') return NOTHING;
      throw new Error('stream event is not a JSON object');
    }
    if (isErrorEvent(event, data)) throw brokenOff(data);
    switch (data.type) {
      case 'message_start':
        return this.#start(membersOf(data.message));
      case 'content_block_start':
        return this.#begin(data.index, membersOf(data.content_block));
      case 'content_block_delta':
        return this.#continue(data.index, membersOf(data.delta));
      case 'content_block_stop':
        return this.#close(data.index as number);
      case 'message_delta':
        this.#figures.add(data.usage);
        return this.#stop(membersOf(data.delta));
      case 'message_stop': {
        const events = this.#stop({ stop_reason: this.#startReason });
        if (!this.#stopped) throw new Error('message ended without a stop reason');
        this.#ended = true;
        return events;
      }
      default:
        return NOTHING;
    }
  }

  end(): readonly ReplyEvent[] {
    this.#ended = this.#stopped;
    return NOTHING;
  }

  /**
   * A message that resumes the work of a server tool (programmatic tool calling) starts with content: complete blocks
   * without further events.
   */
  #start({ id, usage, content, stop_reason: reason }: Record<string, unknown>): readonly ReplyEvent[] {
    this.#id = id;
    this.#figures.add(usage);
    if (typeof reason === 'string') this.#startReason = reason;
    return listOf(content).flatMap((block) => {
      const [whole, events] = this.#open(membersOf(block));
      return [...events, ...this.#closing(whole)];
    });
  }

  #begin(index: unknown, block: Record<string, unknown>): readonly ReplyEvent[] {
    if (typeof index !== 'number') throw new Error('content block without index');
    const [open, events] = this.#open(block);
    this.#blocks.set(index, open);
    return events;
  }

  #open(block: Record<string, unknown>): [OpenBlock, readonly ReplyEvent[]] {
    switch (block.type) {
      case 'text':
        return [
          { kind: 'text', text: textOf(block.text), citations: listOf(block.citations).slice() },
          piece('text', block.text),
        ];
      case 'thinking':
        return [{ kind: 'thinking', signature: textOf(block.signature) }, piece('thinking', block.thinking)];
      case 'redacted_thinking':
        return [{ kind: 'other' }, [{ kind: 'redacted_thinking', data: ownSignature(textOf(block.data)) }]];
      case 'tool_use': {
        const call = this.#calls++;
        return [
          { kind: 'tool_use', call, input: block.input, pieces: new ArgumentPieces() },
          [{ kind: 'tool_call', call, ...readToolUse(block, this.#id, call) }],
        ];
      }
      case 'web_search_tool_result':
        return [{ kind: 'other' }, [readResults(block, this.#queries)]];
      default:
        return [this.#openSearch(block) ?? { kind: 'other' }, NOTHING];
    }
  }

  #openSearch(block: Record<string, unknown>): OpenBlock | undefined {
    if (!isSearch(block)) return undefined;
    const id = textOf(block.id);
    this.#queries.set(id, textOf(membersOf(block.input).query));
    return { kind: 'search', id, input: '' };
  }

  #continue(index: unknown, delta: Record<string, unknown>): readonly ReplyEvent[] {
    const block = this.#blocks.get(index as number);
    if (!block) throw new Error('delta of a content block that has not started');
    if (block.kind === 'text') {
      if (delta.type === 'citations_delta') block.citations.push(delta.citation);
      if (delta.type !== 'text_delta') return NOTHING;
      block.text += textOf(delta.text);
      return piece('text', delta.text);
    }
    if (block.kind === 'search' && delta.type === 'input_json_delta')
      block.input += textOf(delta.partial_json);
    if (block.kind === 'thinking') {
      if (delta.type === 'thinking_delta') return piece('thinking', delta.thinking);
      if (delta.type === 'signature_delta') block.signature = textOf(delta.signature);
    }
    if (block.kind === 'tool_use' && delta.type === 'input_json_delta') {
      return argumentsOf(block.call, block.pieces.add(textOf(delta.partial_json)));
    }
    return NOTHING;
  }

  #close(index: number): readonly ReplyEvent[] {
    const block = this.#blocks.get(index);
    if (!block) return NOTHING;
    this.#blocks.delete(index);
    return this.#closing(block);
  }

  /** The parts of a block that are known only when it ends. */
  #closing(block: OpenBlock): readonly ReplyEvent[] {
    switch (block.kind) {
      case 'text':
        return block.citations.flatMap((value) => {
          const citation = readCitation(value, block.text);
          return citation ? [{ kind: 'citation' as const, citation }] : [];
        });
      case 'search':
        if (block.input !== '') this.#queries.set(block.id, queryOf(block.input));
        return NOTHING;
      case 'thinking':
        if (block.signature === '') return NOTHING;
        return [{ kind: 'thinking_signature', signature: ownSignature(block.signature) }];
      case 'tool_use':
        if (block.pieces.isText) return NOTHING;
        return argumentsOf(block.call, block.pieces.end() || objectJson(block.input));
      case 'other':
        return NOTHING;
    }
  }

  #stop({ stop_reason: reason, stop_sequence: sequence }: Record<string, unknown>): readonly ReplyEvent[] {
    if (this.#stopped || typeof reason !== 'string') return NOTHING;
    this.#stopped = true;
    const left = [...this.#blocks.keys()].flatMap((index) => this.#close(index));
    const stop = readStopReason(reason, this.#calls);
    return [...left, { kind: 'stop', stop, ...(typeof sequence === 'string' && { stopSequence: sequence }) }];
  }
}

const argumentsOf = (call: number, text: string): readonly ReplyEvent[] =>
  text === '' ? NOTHING : [{ kind: 'tool_arguments', call, text }];

/** Returns the query of a search; empty if its input was cut. */
function queryOf(input: string): string {
  try {
    return textOf(membersOf(JSON.parse(input)).query);
  } catch {
    return '';
  }
}

function piece(kind: 'text' | 'thinking', value: unknown): readonly ReplyEvent[] {
  const text = textOf(value);
  return text === '' ? NOTHING : [{ kind, text }];
}

/** Contains only the provider's error type; its message may quote the caller's text. */
function brokenOff(data: Record<string, unknown>): Error {
  const type = textOf(membersOf(data.error).type);
  return new Error(`provider sent an error event: ${ERROR_TYPE.test(type) ? type : 'unknown'}`);
}
