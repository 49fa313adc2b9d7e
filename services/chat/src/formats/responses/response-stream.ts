import { type GatewayError, toResponseError } from '@gateway/errors';
import type { ReplyIdentity } from '../../domain/caller-request';
import type { Citation, Signature, WebSearchPart } from '../../domain/conversation';
import type { CallSignature, ReplyEvent, StopReason, StreamWriter, ToolCallStart } from '../../domain/reply';
import { responseId } from '../../domain/response-members';
import type { BilledUsage } from '../../domain/usage';
import { namedFrame } from '../../sse/named-frame';
import { citedRange } from '../cited-range';
import { REFUSAL_WITHOUT_TEXT } from '../openai/refusal-without-text';
import { type CallerTools, type DeclaredName, textOfArguments } from './caller-tools';
import { compactionItem } from './compacting-call';
import { type EncryptedContent, writeEncrypted } from './encrypted-content';
import type { ResponseEnd } from './passed-end';
import { type ResponseState, repeatedMembers, requestMembers, responseJson } from './response-json';
import type { ResponsesBody } from './responses-schema';

export interface ResponseOptions {
  /** The request. */
  readonly body: ResponsesBody;
  readonly tools: CallerTools;
  /** The caller sends reasoning back, so that the provider can go on from it. */
  readonly includesEncrypted: boolean;
  /** The caller may refer to the response later. */
  readonly isStored: boolean;
  /** The text of the reply is a summary of the conversation, which becomes its only item. */
  readonly compacts: boolean;
}

/** The end of a complete response. */
interface Ended {
  readonly state: ResponseState;
  /** The last event; absent if the response is not a stream. */
  readonly frame?: string;
}

interface OpenItem {
  readonly kind: 'message' | 'reasoning';
  readonly id: string;
  readonly index: number;
  text: string;
  /** As JSON. */
  readonly annotations: string[];
}

interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly callId: string;
  readonly tool: DeclaredName;
  arguments: string;
}

/** Why a response is incomplete. A turn that its provider paused is as incomplete as one that is too long. */
const INCOMPLETE: Partial<Record<StopReason, ResponseState['incompleteReason']>> = {
  length: 'max_output_tokens',
  context_full: 'max_output_tokens',
  pause: 'max_output_tokens',
  refusal: 'content_filter',
};

/**
 * Writes the typed events of a response. Text and reasoning follow one another; calls stay open until the end, because pieces of
 * parallel calls may alternate and each event names its item.
 */
export class ResponseStream implements StreamWriter, ResponseEnd {
  readonly #identity: ReplyIdentity;
  readonly #options: ResponseOptions;
  readonly #members: string;
  readonly #repeatedMembers: string;
  /** JSON of complete items, by output index. */
  readonly #items: string[] = [];
  /** The same items as they are stored, if they differ. */
  readonly #storedItems = new Map<number, string>();
  #ended: Ended | undefined;
  #count = 0;
  #sequence = 0;
  #begun = false;
  #open: OpenItem | undefined;
  readonly #calls = new Map<number, OpenCall>();
  #hasText = false;
  #summary = '';
  #stop: StopReason = 'end';

  constructor(identity: ReplyIdentity, options: ResponseOptions) {
    this.#identity = identity;
    this.#options = options;
    this.#members = requestMembers(options.body, options.isStored);
    this.#repeatedMembers = repeatedMembers(this.#members, options.isStored);
  }

  write(events: readonly ReplyEvent[]): string {
    if (events.length === 0) return '';
    let frames = this.#begin();
    for (const event of events)
      frames += this.#options.compacts ? this.#takeSummary(event) : this.#take(event);
    return frames;
  }

  end(usage: BilledUsage): string {
    const frames = this.#begin() + this.#closeAll();
    const state = this.#final(usage);
    const frame = this.#responseFrame(state.status, state, this.#members);
    this.#ended = { state, frame };
    return frames + frame;
  }

  fail(failure: GatewayError): string {
    const state = {
      status: 'failed',
      output: this.#written(),
      error: toResponseError(failure),
    } as const;
    const frames = this.#begin();
    const { body, isStored } = this.#options;
    const members = isStored ? repeatedMembers(requestMembers(body, false), false) : this.#repeatedMembers;
    return frames + this.#responseFrame('failed', state, members);
  }

  /** Returns the complete response, after all events. */
  response(usage: BilledUsage): string {
    this.#closeAll();
    const state = this.#final(usage);
    this.#ended = { state };
    return responseJson(this.#identity, this.#members, state);
  }

  get stored(): { readonly id: string; readonly json: string } | undefined {
    if (!this.#ended) return undefined;
    const output = this.#items.map((item, index) => this.#storedItems.get(index) ?? item);
    const state = { ...this.#ended.state, output: output.filter((item) => item !== undefined) };
    return {
      id: responseId(this.#identity.requestId),
      json: responseJson(this.#identity, this.#members, state),
    };
  }

  saved(end: Buffer): Buffer {
    return end;
  }

  unstored(end: Buffer): Buffer {
    const { state, frame } = this.#ended!;
    const members = requestMembers(this.#options.body, false);
    const response = responseJson(this.#identity, members, state);
    if (frame === undefined) return Buffer.from(response);
    this.#sequence -= 1;
    const before = end.subarray(0, end.length - Buffer.byteLength(frame));
    const last = this.#frame(`response.${state.status}`, `"response":${response}`);
    return Buffer.concat([before, Buffer.from(last)]);
  }

  #final(usage: BilledUsage): ResponseState {
    const incompleteReason = INCOMPLETE[this.#stop];
    return {
      status: incompleteReason ? 'incomplete' : 'completed',
      output: this.#written(),
      incompleteReason,
      usage,
      completedAtMs: incompleteReason ? undefined : Date.now(),
    };
  }

  /** Items that have not ended are left out. */
  #written(): readonly string[] {
    return this.#items.filter((item) => item !== undefined);
  }

  #begin(): string {
    if (this.#begun) return '';
    this.#begun = true;
    const state = { status: 'in_progress', output: [] } as const;
    return this.#responseFrame('created', state) + this.#responseFrame('in_progress', state);
  }

  #responseFrame(event: string, state: ResponseState, members = this.#repeatedMembers): string {
    const response = responseJson(this.#identity, members, state);
    return this.#frame(`response.${event}`, `"response":${response}`);
  }

  /** @param members as JSON without braces */
  #frame(type: string, members: string): string {
    return namedFrame(type, `{"type":"${type}","sequence_number":${this.#sequence++},${members}}`);
  }

  #take(event: ReplyEvent): string {
    switch (event.kind) {
      case 'text':
        return this.#text('message', event.text);
      case 'thinking':
        return this.#text('reasoning', event.text);
      case 'thinking_signature':
        return this.#sign(event.signature);
      case 'redacted_thinking':
        return this.#close() + this.#proof({ of: 'redacted', signature: event.data });
      case 'tool_call':
        return this.#startCall(event);
      case 'tool_arguments':
        return this.#addArguments(event.call, event.text);
      case 'call_signature':
        return this.#signCall(event);
      case 'web_search':
        return this.#search(event);
      case 'citation':
        return this.#cite(event.citation);
      case 'stop':
        this.#stop = event.stop;
        return '';
    }
  }

  /** Only the text of a summary is shown. */
  #takeSummary(event: ReplyEvent): string {
    if (event.kind === 'text') this.#summary += event.text;
    if (event.kind === 'stop') this.#stop = event.stop;
    return '';
  }

  #search(search: WebSearchPart): string {
    const frames = this.#close();
    const index = this.#count++;
    const id = this.#idOf('ws', index);
    const state = (name: string) =>
      this.#frame(`response.web_search_call.${name}`, `"output_index":${index},"item_id":"${id}"`);
    return (
      frames +
      this.#itemFrame('added', index, searchJson(id, 'in_progress', search)) +
      ['in_progress', 'searching', 'completed'].map(state).join('') +
      this.#done(index, searchJson(id, 'completed', search))
    );
  }

  /** Pages that support no text in progress are left out: an annotation belongs to a text. */
  #cite(citation: Citation): string {
    const item = this.#open;
    if (item?.kind !== 'message') return '';
    const { url, title } = citation;
    const annotation = JSON.stringify({
      type: 'url_citation',
      ...citedRange(item.text, citation),
      url,
      title,
    });
    const index = item.annotations.push(annotation) - 1;
    return this.#frame(
      'response.output_text.annotation.added',
      `${ofContent(item)},"annotation_index":${index},"annotation":${annotation}`,
    );
  }

  #text(kind: OpenItem['kind'], text: string): string {
    if (text === '') return '';
    let frames = '';
    if (this.#open?.kind !== kind) frames = this.#close() + this.#openItem(kind);
    const item = this.#open!;
    item.text += text;
    if (kind === 'message') this.#hasText = true;
    const delta = `"delta":${JSON.stringify(text)}`;
    return (
      frames +
      (kind === 'message'
        ? this.#frame('response.output_text.delta', `${ofContent(item)},${delta},"logprobs":[]`)
        : this.#frame('response.reasoning_summary_text.delta', `${ofSummary(item)},${delta}`))
    );
  }

  #openItem(kind: OpenItem['kind']): string {
    const index = this.#count++;
    const id = this.#idOf(kind === 'message' ? 'msg' : 'rs', index);
    const item: OpenItem = { kind, id, index, text: '', annotations: [] };
    this.#open = item;
    if (kind === 'message') {
      return (
        this.#itemFrame('added', index, messageJson(id, 'in_progress', [])) +
        this.#frame('response.content_part.added', `${ofContent(item)},"part":${textPart('', [])}`)
      );
    }
    return (
      this.#itemFrame('added', index, reasoningJson(id, '')) +
      this.#frame('response.reasoning_summary_part.added', `${ofSummary(item)},"part":${summaryPart('')}`)
    );
  }

  /** Ends the text or reasoning in progress. @param signature of the reasoning */
  #close(signature?: Signature): string {
    const item = this.#open;
    if (!item) return '';
    this.#open = undefined;
    const text = `"text":${JSON.stringify(item.text)}`;
    if (item.kind === 'message') {
      const part = textPart(item.text, item.annotations);
      return (
        this.#frame('response.output_text.done', `${ofContent(item)},${text},"logprobs":[]`) +
        this.#frame('response.content_part.done', `${ofContent(item)},"part":${part}`) +
        this.#done(item.index, messageJson(item.id, 'completed', [part]))
      );
    }
    const encrypted = signature && writeEncrypted({ of: 'thinking', signature });
    return (
      this.#frame('response.reasoning_summary_text.done', `${ofSummary(item)},${text}`) +
      this.#frame(
        'response.reasoning_summary_part.done',
        `${ofSummary(item)},"part":${summaryPart(item.text)}`,
      ) +
      this.#reasoningDone(item.index, item.id, item.text, encrypted)
    );
  }

  /** A signature without text is only a hint once there was an answer, unless its provider requires it. */
  #sign(signature: Signature): string {
    if (this.#open?.kind === 'reasoning') return this.#close(signature);
    if (this.#hasText && signature.wire !== 'anthropic') return '';
    return this.#close() + this.#proof({ of: 'thinking', signature });
  }

  /** Writes a reasoning item without a summary; nothing if the caller can't send it back. */
  #proof(content: EncryptedContent): string {
    const { includesEncrypted, isStored } = this.#options;
    if (!includesEncrypted && !isStored) return '';
    const index = this.#count++;
    const id = this.#idOf('rs', index);
    return (
      this.#itemFrame('added', index, reasoningJson(id, '')) +
      this.#reasoningDone(index, id, '', writeEncrypted(content))
    );
  }

  #reasoningDone(index: number, id: string, text: string, encrypted: string | undefined): string {
    const { includesEncrypted, isStored } = this.#options;
    if (isStored && !includesEncrypted) this.#storedItems.set(index, reasoningJson(id, text, encrypted));
    return this.#done(index, reasoningJson(id, text, includesEncrypted ? encrypted : undefined));
  }

  #startCall({ call, id: callId, name, signature }: ToolCallStart): string {
    const frames = this.#close() + (signature ? this.#proof({ of: 'call', signature }) : '');
    const tool = this.#options.tools.declared(name);
    const index = this.#count++;
    const id = this.#idOf(tool.isCustom ? 'ctc' : 'fc', index);
    const open: OpenCall = { id, index, callId, tool, arguments: '' };
    this.#calls.set(call, open);
    return frames + this.#itemFrame('added', index, callJson(open, 'in_progress', ''));
  }

  #signCall({ call, signature }: CallSignature): string {
    return this.#close() + this.#proof({ of: 'call', signature, callId: this.#calls.get(call)!.callId });
  }

  #addArguments(call: number, text: string): string {
    const open = this.#calls.get(call);
    if (!open) throw new Error(`arguments of call ${call}, which has not begun`);
    if (text === '') return '';
    open.arguments += text;
    // The text of a custom tool is known when its arguments are complete.
    if (open.tool.isCustom) return '';
    return this.#argumentsDelta(open, text);
  }

  #argumentsDelta(call: OpenCall, text: string): string {
    return this.#frame(
      'response.function_call_arguments.delta',
      `${ofItem(call)},"delta":${JSON.stringify(text)}`,
    );
  }

  /** @throws Error for a compaction without a summary */
  #closeAll(): string {
    if (this.#options.compacts) return this.#compact();
    let frames = this.#close();
    for (const call of this.#calls.values()) frames += this.#closeCall(call);
    this.#calls.clear();
    if (this.#stop === 'refusal' && !this.#hasText && this.#count === this.#written().length)
      frames += this.#refuse();
    return frames;
  }

  #compact(): string {
    const index = this.#count++;
    const item = JSON.stringify(compactionItem(this.#idOf('cmp', index), this.#summary));
    return this.#itemFrame('added', index, item) + this.#done(index, item);
  }

  #closeCall(call: OpenCall): string {
    const { tool, index } = call;
    const bare = !tool.isCustom && call.arguments === '' ? this.#argumentsDelta(call, '{}') : '';
    const written = tool.isCustom ? textOfArguments(call.arguments) : call.arguments || '{}';
    const value = JSON.stringify(written);
    const isCut = INCOMPLETE[this.#stop] !== undefined;
    const item = callJson(call, isCut ? 'incomplete' : 'completed', written);
    const frames = tool.isCustom
      ? this.#frame('response.custom_tool_call_input.delta', `${ofItem(call)},"delta":${value}`) +
        this.#frame('response.custom_tool_call_input.done', `${ofItem(call)},"input":${value}`)
      : this.#frame(
          'response.function_call_arguments.done',
          `${ofItem(call)},"name":${JSON.stringify(tool.name)},"arguments":${value}`,
        );
    return bare + frames + this.#done(index, item);
  }

  /** For clients that show a refusal: a turn without any text says nothing. */
  #refuse(): string {
    const index = this.#count++;
    const item: OpenItem = {
      kind: 'message',
      id: this.#idOf('msg', index),
      index,
      text: '',
      annotations: [],
    };
    const refusal = JSON.stringify(REFUSAL_WITHOUT_TEXT);
    const part = `{"type":"refusal","refusal":${refusal}}`;
    return (
      this.#itemFrame('added', index, messageJson(item.id, 'in_progress', [])) +
      this.#frame(
        'response.content_part.added',
        `${ofContent(item)},"part":{"type":"refusal","refusal":""}`,
      ) +
      this.#frame('response.refusal.delta', `${ofContent(item)},"delta":${refusal}`) +
      this.#frame('response.refusal.done', `${ofContent(item)},"refusal":${refusal}`) +
      this.#frame('response.content_part.done', `${ofContent(item)},"part":${part}`) +
      this.#done(index, messageJson(item.id, 'completed', [part]))
    );
  }

  #done(index: number, item: string): string {
    this.#items[index] = item;
    return this.#itemFrame('done', index, item);
  }

  #itemFrame(what: 'added' | 'done', index: number, item: string): string {
    return this.#frame(`response.output_item.${what}`, `"output_index":${index},"item":${item}`);
  }

  #idOf(prefix: string, index: number): string {
    return `${prefix}_${this.#identity.requestId}_${index}`;
  }
}

const ofItem = ({ id, index }: { id: string; index: number }) => `"item_id":"${id}","output_index":${index}`;
const ofContent = (item: OpenItem) => `${ofItem(item)},"content_index":0`;
const ofSummary = (item: OpenItem) => `${ofItem(item)},"summary_index":0`;

/** @param annotations as JSON */
const textPart = (text: string, annotations: readonly string[]) =>
  `{"type":"output_text","text":${JSON.stringify(text)},"annotations":[${annotations.join(',')}],"logprobs":[]}`;
const summaryPart = (text: string) => `{"type":"summary_text","text":${JSON.stringify(text)}}`;

/** @param parts as JSON */
const messageJson = (id: string, status: string, parts: readonly string[]) =>
  `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${parts.join(',')}]}`;

function reasoningJson(id: string, text: string, encrypted?: string): string {
  const content = encrypted === undefined ? '' : `,"encrypted_content":${JSON.stringify(encrypted)}`;
  return `{"id":"${id}","type":"reasoning","summary":[${text === '' ? '' : summaryPart(text)}]${content}}`;
}

const searchJson = (id: string, status: string, { query, results }: WebSearchPart) =>
  JSON.stringify({
    id,
    type: 'web_search_call',
    status,
    action: {
      type: 'search',
      query,
      queries: [query],
      sources: results.map(({ url }) => ({ type: 'url', url })),
    },
  });

/** @param text arguments, or the input of a custom tool */
function callJson({ id, callId, tool }: OpenCall, status: string, text: string): string {
  const { name, namespace, isCustom } = tool;
  return JSON.stringify({
    id,
    type: isCustom ? 'custom_tool_call' : 'function_call',
    ...(!isCustom && { status }),
    call_id: callId,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(isCustom ? { input: text } : { arguments: text }),
  });
}
