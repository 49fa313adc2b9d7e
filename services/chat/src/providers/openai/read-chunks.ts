import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { ReplyEvent, StreamReader } from '../../domain/reply';
import { largerUsage, type TokenUsage } from '../../domain/usage';
import { parseExact } from '../../json/exact-json';
import { isErrorEvent } from '../../sse/error-event';
import { dataOf, isDoneMarker } from '../../sse/sse-data';
import { isFinishReason, readContentPart, readStop, readThinking } from './reply-json';
import type { ThinkTagChunks } from './think-tags';
import { ToolCallPieces } from './tool-call-pieces';

/**
 * Reads a stream of chat completion chunks. The stop is emitted last: only `[DONE]`, or the end of the connection, says that no
 * text or calls follow, because some providers continue after a finish reason.
 */
export class ChunkReader implements StreamReader {
  readonly #readUsage: (chunk: JsonObject) => TokenUsage | undefined;
  readonly #thinkTags: ThinkTagChunks | undefined;
  readonly #calls = new ToolCallPieces();
  #usage: TokenUsage | undefined;
  #finishReason: unknown;
  #refused = false;
  /** Thinking arrived in the plain field only, so that details can only repeat it. */
  #thinksPlainly = false;
  #ended = false;

  /** @param thinkTags moves thinking out of the content */
  constructor(readUsage: (chunk: JsonObject) => TokenUsage | undefined, thinkTags?: ThinkTagChunks) {
    this.#readUsage = readUsage;
    this.#thinkTags = thinkTags;
  }

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get ended(): boolean {
    return this.#ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const data = dataOf(event);
    // Comments keep the connection open.
    if (data === '') return [];
    if (isDoneMarker(data)) return this.#end();
    const chunk = parseChunk(data);
    if (isErrorEvent(event, chunk)) throw new Error('provider sent an error event');
    // Some providers report a running total in every chunk.
    const usage = this.#readUsage(chunk);
    if (usage) this.#usage = largerUsage(this.#usage, usage);
    const { choices } = this.#thinkTags?.read(chunk) ?? chunk;
    const choice = listOf(choices)
      .map(membersOf)
      .find(({ index }) => !index);
    if (!choice) return [];
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
    return this.#readDelta(membersOf(choice.delta), chunk.id);
  }

  end(): readonly ReplyEvent[] {
    return isFinishReason(this.#finishReason) ? this.#end() : [];
  }

  #readDelta(delta: JsonObject, replyId: unknown): ReplyEvent[] {
    const events: ReplyEvent[] = [];
    const hasDetails = listOf(delta.reasoning_details).length > 0;
    for (const part of readThinking(delta)) {
      if (part.kind === 'redacted_thinking') events.push(part);
      else {
        this.#thinksPlainly ||= !hasDetails;
        const isNew = !hasDetails || !this.#thinksPlainly;
        if (part.text !== '' && isNew) events.push({ kind: 'thinking', text: part.text });
        if (part.signature) events.push({ kind: 'thinking_signature', signature: part.signature });
      }
    }
    readContent(delta.content, events);
    const refusal = textOf(delta.refusal);
    if (refusal !== '') {
      this.#refused = true;
      events.push({ kind: 'text', text: refusal });
    }
    for (const piece of listOf(delta.tool_calls)) this.#calls.read(membersOf(piece), replyId, events);
    return events;
  }

  #end(): ReplyEvent[] {
    const rest = this.#calls.end();
    this.#ended = true;
    const content = { refused: this.#refused, calls: this.#calls.count };
    return [...rest, { kind: 'stop', stop: readStop(this.#finishReason, content) }];
  }
}

function readContent(content: unknown, events: ReplyEvent[]): void {
  if (typeof content === 'string') {
    if (content !== '') events.push({ kind: 'text', text: content });
    return;
  }
  for (const part of listOf(content)) {
    const { text, isThinking } = readContentPart(membersOf(part));
    if (text !== '') events.push({ kind: isThinking ? 'thinking' : 'text', text });
  }
}

const hasParsedArguments = ({ choices }: JsonObject): boolean =>
  listOf(choices).some((choice) =>
    listOf(membersOf(membersOf(choice).delta).tool_calls).some(
      (call) => typeof membersOf(membersOf(call).function).arguments === 'object',
    ),
  );

/** The parser's own error would quote the reply, and errors are logged. */
function parseChunk(data: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(data);
    // Arguments that are no text are written again, with all their digits.
    if (hasParsedArguments(membersOf(value))) value = parseExact(data);
  } catch {
    throw new Error('provider sent a chunk that is not JSON');
  }
  if (typeof value !== 'object' || value === null)
    throw new Error('provider sent a chunk that is not an object');
  return value as JsonObject;
}
