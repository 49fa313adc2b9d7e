import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces, withoutNull } from '../../../domain/argument-pieces';
import type { Citation, TextPart, WebSearchPart } from '../../../domain/conversation';
import type { Reply, ReplyEvent, ReplyPart, StopReason, StreamReader } from '../../../domain/reply';
import { generatedToolId } from '../../../domain/tool-ids';
import type { TokenUsage } from '../../../domain/usage';
import { isErrorEvent } from '../../../sse/error-event';
import { dataOf, isDoneMarker, parseExactData } from '../../../sse/sse-data';
import { MAX_TOOL_CALLS, readArguments } from '../reply-json';
import { fromResponseUsage, isSearch } from './response-usage';

/** Reads a complete response. @throws Error for an item that does not match the format */
export function readResponse(response: JsonObject): Reply {
  const items = listOf(response.output).map(membersOf);
  const calls = items.filter(({ type }) => type === 'function_call').length;
  if (calls > MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
  return { parts: items.flatMap(partsOf), stop: stopOf(response, calls) };
}

function partsOf(item: JsonObject): ReplyPart[] {
  switch (item.type) {
    case 'reasoning': {
      const text = listOf(item.summary)
        .map((part) => textOf(membersOf(part).text))
        .join('\n\n');
      return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
    }
    case 'message':
      return listOf(item.content).flatMap((part): TextPart[] => {
        const { text: said, refusal, annotations } = membersOf(part);
        const text = textOf(said) || textOf(refusal);
        const citations = listOf(annotations).flatMap((one) => readCitation(membersOf(one), text));
        return text === '' ? [] : [{ kind: 'text', text, citations, cache: undefined }];
      });
    case 'function_call': {
      const name = textOf(item.name);
      if (name === '') throw new Error('reply has a tool call without a name');
      const id = textOf(item.call_id) || generatedToolId(item.id, 0);
      const args = argumentsOf(item);
      return [{ kind: 'tool_call', id, name, arguments: args, signature: undefined, cache: undefined }];
    }
    default:
      return isSearch(item) ? [readSearch(item)] : [];
  }
}

/** OpenAI names only the addresses of pages; xAI none. */
function readSearch({ id, action }: JsonObject): WebSearchPart {
  const { query, queries, sources } = membersOf(action);
  const results = listOf(sources).map((source) => {
    const url = textOf(membersOf(source).url);
    return { url, title: url };
  });
  return { kind: 'web_search', id: textOf(id), query: textOf(query) || textOf(listOf(queries)[0]), results };
}

/** @param text that the annotation is about */
function readCitation(
  { type, url, title, start_index: start, end_index: end }: JsonObject,
  text: string,
): Citation[] {
  if (type !== 'url_citation') return [];
  const cited = typeof start === 'number' && typeof end === 'number' ? text.slice(start, end) : '';
  return [{ url: textOf(url), title: textOf(title) || textOf(url), cited, quote: '' }];
}

function stopOf({ status, incomplete_details: details, output }: JsonObject, calls: number): StopReason {
  if (status === 'incomplete') return membersOf(details).reason === 'content_filter' ? 'refusal' : 'length';
  const isRefused = listOf(output).some((item) =>
    listOf(membersOf(item).content).some((part) => membersOf(part).type === 'refusal'),
  );
  if (isRefused) return 'refusal';
  return calls > 0 ? 'tool_calls' : 'end';
}

/** Empty if there are none. */
export const argumentsOf = ({ arguments: args }: JsonObject): string => withoutNull(readArguments(args));

const piecesOf = (call: number, text: string): ReplyEvent[] =>
  text === '' ? [] : [{ kind: 'tool_arguments', call, text }];

/** Reads the typed events of a response. */
export class ResponseEventReader implements StreamReader {
  /** Tool calls by the index of their item. Some servers send arguments only with the complete item. */
  readonly #calls = new Map<unknown, { readonly call: number; readonly pieces: ArgumentPieces }>();
  /** Texts so far, by the index of their item: annotations name places in them. */
  readonly #texts = new Map<unknown, string>();
  #searches = 0;
  #usage: TokenUsage | undefined;
  #ended = false;

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get searches(): number {
    return this.#searches;
  }

  get ended(): boolean {
    return this.#ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const data = parseExactData(event);
    if (isErrorEvent(event, data) || data?.type === 'response.failed')
      throw new Error('provider broke the reply off');
    if (!data) {
      const text = dataOf(event);
      if (text !== '' && !isDoneMarker(text))
        throw new Error('provider sent an event that is not a JSON object');
      return [];
    }
    const { type, output_index: at, delta } = data;
    const text = textOf(delta);
    switch (type) {
      case 'response.output_item.added':
        return this.#begin(membersOf(data.item), at);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#texts.set(at, (this.#texts.get(at) ?? '') + text);
        return text === '' ? [] : [{ kind: 'text', text }];
      case 'response.reasoning_summary_text.delta':
        return text === '' ? [] : [{ kind: 'thinking', text }];
      case 'response.function_call_arguments.delta': {
        const call = this.#calls.get(at);
        if (call === undefined) throw new Error('arguments of a call that has not begun');
        return piecesOf(call.call, call.pieces.add(text));
      }
      case 'response.output_text.annotation.added':
        return readCitation(membersOf(data.annotation), this.#texts.get(at) ?? '').map((citation) => ({
          kind: 'citation',
          citation,
        }));
      case 'response.output_item.done':
        return this.#finish(membersOf(data.item), at);
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(membersOf(data.response));
      default:
        return [];
    }
  }

  #begin({ type, call_id: callId, id: itemId, name }: JsonObject, at: unknown): ReplyEvent[] {
    if (type !== 'function_call' || this.#calls.has(at)) return [];
    const call = this.#calls.size;
    if (call === MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
    if (textOf(name) === '') throw new Error('reply has a tool call without a name');
    this.#calls.set(at, { call, pieces: new ArgumentPieces() });
    const id = textOf(callId) || generatedToolId(itemId, call);
    return [{ kind: 'tool_call', call, id, name: textOf(name) }];
  }

  #finish(item: JsonObject, at: unknown): ReplyEvent[] {
    if (isSearch(item)) {
      this.#searches++;
      return [readSearch(item)];
    }
    const begun = this.#begin(item, at);
    const call = this.#calls.get(at);
    if (call === undefined || call.pieces.isText) return begun;
    return [...begun, ...piecesOf(call.call, call.pieces.end() || argumentsOf(item))];
  }

  #end(response: JsonObject): ReplyEvent[] {
    this.#usage = fromResponseUsage(response);
    this.#ended = true;
    return [{ kind: 'stop', stop: stopOf(response, this.#calls.size) }];
  }
}
