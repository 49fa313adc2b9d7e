import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces } from '../../domain/argument-pieces';
import type { ReplyEvent, StreamReader } from '../../domain/reply';
import { generatedToolId } from '../../domain/tool-ids';
import type { TokenUsage } from '../../domain/usage';
import { isErrorEvent } from '../../sse/error-event';
import { dataOf, isDoneMarker, parseData } from '../../sse/sse-data';
import { MAX_TOOL_CALLS } from '../openai/reply-json';
import { readCohereUsage } from './cohere-usage';
import { readFinishReason } from './finish-reason';

const NOTHING: readonly ReplyEvent[] = [];

interface Call {
  /** Its number in the reply. */
  readonly call: number;
  readonly arguments: ArgumentPieces;
}

/**
 * Reads the stream of `/v2/chat` (docs.cohere.com/reference/chat-stream). Events of other types, such as citations, are ignored.
 * The plan that a model writes before it calls tools is thinking.
 */
export class ChatEvents implements StreamReader {
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<unknown, Call>();
  #id: unknown;
  #usage: TokenUsage | undefined;
  #ended = false;

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get ended(): boolean {
    return this.#ended;
  }

  read(received: Buffer): readonly ReplyEvent[] {
    const data = dataOf(received);
    if (data === '' || isDoneMarker(data)) return NOTHING;
    const event = parseData(received);
    if (!event) throw new Error('provider sent an event that is not a JSON object');
    if (isErrorEvent(received, event)) throw new Error('provider sent an error event');
    return this.readEvent(event);
  }

  /** @throws Error when the provider reports a failure, or sends what its format does not define */
  readEvent(event: JsonObject): readonly ReplyEvent[] {
    const delta = membersOf(event.delta);
    const message = membersOf(delta.message);
    switch (event.type) {
      case 'message-start':
        this.#id = event.id;
        return NOTHING;
      case 'content-start':
      case 'content-delta':
        return readContent(membersOf(message.content));
      case 'tool-plan-delta':
        return readContent({ thinking: message.tool_plan });
      case 'tool-call-start':
        return this.#startCall(event.index, callOf(message.tool_calls));
      case 'tool-call-delta':
        return this.#addArguments(event.index, callOf(message.tool_calls));
      case 'message-end':
        return this.#end(delta);
      default:
        return NOTHING;
    }
  }

  #startCall(index: unknown, { id, function: called }: JsonObject): ReplyEvent[] {
    const { name, arguments: given } = membersOf(called);
    if (textOf(name) === '') throw new Error('reply has a tool call without a name');
    if (this.#calls.length === MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
    const call: Call = { call: this.#calls.length, arguments: new ArgumentPieces() };
    this.#calls.push(call);
    this.#byIndex.set(index, call);
    const started: ReplyEvent = {
      kind: 'tool_call',
      call: call.call,
      id: textOf(id) || generatedToolId(this.#id, call.call),
      name: textOf(name),
    };
    return [started, ...argumentsOf(call.call, call.arguments.add(textOf(given)))];
  }

  #addArguments(index: unknown, { function: called }: JsonObject): readonly ReplyEvent[] {
    const call = this.#byIndex.get(index);
    if (!call) throw new Error('reply has arguments of a tool call that has not begun');
    return argumentsOf(call.call, call.arguments.add(textOf(membersOf(called).arguments)));
  }

  #end(delta: JsonObject): ReplyEvent[] {
    // Before anything that may throw: a reply that fails is billed too.
    this.#usage = readCohereUsage(delta.usage) ?? this.#usage;
    if (textOf(delta.error) !== '') throw new Error('provider ended its reply with an error');
    const stop = readFinishReason(delta.finish_reason, this.#calls.length);
    this.#ended = true;
    const rest = this.#calls.flatMap(({ call, arguments: args }) => argumentsOf(call, args.end()));
    return [...rest, { kind: 'stop', stop }];
  }
}

/** Some replies have a list of one call. */
const callOf = (calls: unknown): JsonObject => membersOf(Array.isArray(calls) ? listOf(calls)[0] : calls);

function readContent({ text, thinking }: JsonObject): readonly ReplyEvent[] {
  if (textOf(thinking) !== '') return [{ kind: 'thinking', text: textOf(thinking) }];
  return textOf(text) === '' ? NOTHING : [{ kind: 'text', text: textOf(text) }];
}

const argumentsOf = (call: number, text: string): readonly ReplyEvent[] =>
  text === '' ? NOTHING : [{ kind: 'tool_arguments', call, text }];
