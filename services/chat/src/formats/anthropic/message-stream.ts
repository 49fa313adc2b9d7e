import type { ReplyIdentity } from '../../domain/caller-request';
import type { Citation, Signature, WebSearchPart } from '../../domain/conversation';
import type { CallSignature, ReplyEvent, StreamWriter, ToolCallStart } from '../../domain/reply';
import { type BilledUsage, NO_USAGE, type TokenUsage } from '../../domain/usage';
import { objectJson } from '../../json/exact-json';
import { namedFrame } from '../../sse/named-frame';
import { writeCallSignature } from '../call-signature';
import {
  citationJson,
  finalUsageJson,
  messageHead,
  NO_STOP,
  redactedThinkingBlock,
  type Stop,
  searchBlock,
  searchInput,
  searchResultBlock,
  stopMembers,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  usageJson,
  writeSignature,
} from './message-json';
import { ObjectEndDetector } from './object-end-detector';

/** A block of the message that is being sent, or waits for the previous one to end. */
interface PendingBlock {
  readonly kind: 'text' | 'thinking' | 'tool' | 'ready';
  /** The block at its start, as JSON. */
  readonly head: string;
  /** Deltas to send, as JSON. */
  deltas: string[];
  /** Of thinking. */
  signature?: string;
  /** A signature without text, dropped if a text follows. */
  readonly isHint?: boolean;
  /** Of a tool call. */
  readonly callId?: string;
  /** Of a tool call's arguments. */
  readonly input?: ObjectEndDetector;
  /** Arguments that are no object. */
  other?: string;
  /** The part of its frames that precedes a delta; absent until it has started. */
  deltaStart?: string;
}

/**
 * Writes a reply as Anthropic streams it: one block after the other, counted from 0 without gaps. Pieces of parallel tool
 * calls may arrive interleaved; those of a later block wait until the current one is complete. A tool call is complete when
 * its arguments are an object, or when the reply has ended.
 */
export class MessageStream implements StreamWriter {
  readonly #identity: ReplyIdentity;
  readonly #estimatedInput: number;
  #started = false;
  /** The first block is being sent. */
  readonly #pending: PendingBlock[] = [];
  readonly #calls = new Map<number, PendingBlock>();
  #index = 0;
  #hasText = false;
  #stop: Stop | undefined;

  constructor(identity: ReplyIdentity, estimatedInput: number) {
    this.#identity = identity;
    this.#estimatedInput = estimatedInput;
  }

  write(events: readonly ReplyEvent[], usage?: TokenUsage): string {
    if (events.length === 0) return '';
    for (const event of events) this.#take(event);
    return this.#begun(usage) + this.#flush(false);
  }

  end(usage: BilledUsage): string {
    const rest = this.#begun(usage) + this.#flush(true);
    const delta = `{"type":"message_delta","delta":{${stopMembers(this.#stop ?? { stop: 'end' })},"container":null},"usage":${finalUsageJson(usage)}}`;
    return rest + namedFrame('message_delta', delta) + namedFrame('message_stop', '{"type":"message_stop"}');
  }

  /** Reports the input for clients that read it nowhere else; an estimate if it is not known yet. */
  #begun(reported: TokenUsage | undefined): string {
    if (this.#started) return '';
    this.#started = true;
    const usage = usageJson({
      ...(reported ?? { ...NO_USAGE, input: this.#estimatedInput }),
      output: 0,
      reasoning: 0,
    });
    const message = `${messageHead(this.#identity)},"content":[],${NO_STOP},"usage":${usage}}`;
    return namedFrame('message_start', `{"type":"message_start","message":${message}}`);
  }

  #take(event: ReplyEvent): void {
    switch (event.kind) {
      case 'text':
      case 'thinking':
        this.#text(event.kind, event.text);
        break;
      case 'thinking_signature':
        this.#sign(event.signature);
        break;
      case 'redacted_thinking':
        this.#pending.push({ kind: 'ready', head: redactedThinkingBlock(event.data), deltas: [] });
        break;
      case 'tool_call':
        this.#call(event);
        break;
      case 'tool_arguments':
        this.#arguments(event.call, event.text);
        break;
      case 'call_signature':
        this.#signCall(event);
        break;
      case 'web_search':
        this.#search(event);
        break;
      case 'citation':
        this.#cite(event.citation);
        break;
      case 'stop':
        this.#stop = event;
    }
  }

  #search(search: WebSearchPart): void {
    const input = inputDelta(searchInput(search));
    this.#pending.push(
      { kind: 'ready', head: searchBlock(search, '{}'), deltas: [input] },
      { kind: 'ready', head: searchResultBlock(search), deltas: [] },
    );
  }

  /** A page that supports a text which has ended is cited by an empty one. */
  #cite(citation: Citation): void {
    this.#blockOf('text').deltas.push(`{"type":"citations_delta","citation":${citationJson(citation)}}`);
  }

  #text(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return;
    if (kind === 'text') {
      this.#hasText = true;
      if (this.#pending.at(-1)?.isHint) this.#pending.pop();
    }
    this.#blockOf(kind).deltas.push(`{"type":"${kind}_delta","${kind}":${JSON.stringify(text)}}`);
  }

  /** Returns the block that the piece belongs to: the last one, unless that has another kind or is already signed. */
  #blockOf(kind: 'text' | 'thinking'): PendingBlock {
    const last = this.#pending.at(-1);
    if (last?.kind === kind && last.signature === undefined) return last;
    const head = kind === 'text' ? textBlock('""') : thinkingBlock('""', '');
    const block: PendingBlock = { kind, head, deltas: [] };
    this.#pending.push(block);
    return block;
  }

  /** Omits what `withoutEmptyThinking` omits from a complete reply. */
  #sign(signature: Signature): void {
    const last = this.#pending.at(-1);
    const written = writeSignature(signature);
    if (last?.kind === 'thinking' && last.signature === undefined) {
      last.signature = written;
      return;
    }
    const isHint = signature.wire !== 'anthropic';
    if (isHint && this.#hasText) return;
    this.#pending.push({ ...signingBlock(written), isHint });
  }

  #call({ call, id, name, signature }: ToolCallStart): void {
    if (signature) this.#pending.push(signingBlock(writeCallSignature(signature)));
    const block: PendingBlock = {
      kind: 'tool',
      callId: id,
      head: toolUseBlock(id, name, '{}'),
      deltas: [],
      input: new ObjectEndDetector(),
    };
    this.#calls.set(call, block);
    this.#pending.push(block);
  }

  /** A call that has begun is signed by a block after it. */
  #signCall({ call, signature }: CallSignature): void {
    const block = this.#calls.get(call)!;
    const at = block.deltaStart === undefined ? this.#pending.indexOf(block) : -1;
    if (at === -1) this.#pending.push(signingBlock(writeCallSignature(signature, block.callId)));
    else this.#pending.splice(at, 0, signingBlock(writeCallSignature(signature)));
  }

  #arguments(call: number, text: string): void {
    const block = this.#calls.get(call);
    if (!block) throw new Error(`arguments of call ${call}, which has not begun`);
    // White space may follow a complete object, whose block has already ended.
    if (text === '' || block.input!.complete) return;
    block.input!.add(text);
    if (block.input!.isObject) block.deltas.push(inputDelta(text));
    // Known when it is complete.
    else block.other = (block.other ?? '') + text;
  }

  /** Sends the frames that may be sent. @param last no more events follow */
  #flush(last: boolean): string {
    let frames = '';
    for (;;) {
      const block = this.#pending[0];
      if (!block) return frames;
      if (block.isHint && this.#pending.length === 1 && !last) return frames;
      frames += this.#send(block);
      const over = last || (this.#pending.length > 1 && (block.kind !== 'tool' || block.input!.complete));
      if (!over) return frames;
      frames += this.#close(block);
      this.#pending.shift();
    }
  }

  #send(block: PendingBlock): string {
    let frames = '';
    if (block.deltaStart === undefined) {
      const index = this.#index;
      frames = namedFrame(
        'content_block_start',
        `{"type":"content_block_start","index":${index},"content_block":${block.head}}`,
      );
      block.deltaStart = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":`;
    }
    for (const delta of block.deltas) frames += `${block.deltaStart}${delta}}\n\n`;
    block.deltas = [];
    return frames;
  }

  #close(block: PendingBlock): string {
    let frames =
      block.other === undefined ? '' : `${block.deltaStart}${inputDelta(objectJson(block.other))}}\n\n`;
    if (block.kind === 'thinking') {
      const signature = JSON.stringify(block.signature ?? writeSignature());
      frames = `${block.deltaStart}{"type":"signature_delta","signature":${signature}}}\n\n`;
    }
    frames += namedFrame('content_block_stop', `{"type":"content_block_stop","index":${this.#index}}`);
    this.#index++;
    return frames;
  }
}

const signingBlock = (signature: string): PendingBlock => ({
  kind: 'thinking',
  head: thinkingBlock('""', ''),
  deltas: [],
  signature,
});

const inputDelta = (json: string): string =>
  `{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}`;
