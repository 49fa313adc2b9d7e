import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { parseExactData } from '../../sse/sse-data';
import { generatedToolId, MAX_TOOL_CALLS, readArguments, readContentPart } from './reply-json';

/** A quote inside a JSON string is escaped, so these bytes are always a member. */
const FAULTS = ['"content":[', '"content": [', '"tool_calls":', '"num_cached_tokens":'].map((text) =>
  Buffer.from(text),
);

/**
 * Rewrites the deviations of a stream's chunks that callers of OpenAI's format can't read: content as a list becomes a string
 * and `reasoning_content`, tool calls get their `index`, `id` and `type`, and `num_cached_tokens` is also set in the format's
 * own field. Other chunks are not parsed.
 */
export class ChunkRepair {
  /** Ids of the calls so far by the index of their choice. */
  readonly #calls = new Map<unknown, string[]>();

  repaired(event: Buffer): Buffer {
    const needsRepair = FAULTS.some((fault) => event.includes(fault));
    const chunk = needsRepair ? parseExactData(event) : undefined;
    if (!chunk) return event;
    const choices = listOf(chunk.choices).map((choice) => this.#choice(membersOf(choice), chunk.id));
    const repaired = { ...chunk, choices, usage: withCachedTokens(chunk.usage) };
    return Buffer.from(`data: ${JSON.stringify(repaired)}\n\n`);
  }

  #choice(choice: JsonObject, replyId: unknown): JsonObject {
    const delta = withPlainContent(membersOf(choice.delta));
    const pieces = delta.tool_calls;
    if (!Array.isArray(pieces)) return { ...choice, delta };
    const calls = this.#calls.get(choice.index) ?? [];
    this.#calls.set(choice.index, calls);
    const tool_calls = pieces.map((piece) => repairedPiece(membersOf(piece), calls, replyId));
    return { ...choice, delta: { ...delta, tool_calls } };
  }
}

/** Does the same for a complete reply; undefined if it needs no repair. */
export function repairedReply(reply: JsonObject): JsonObject | undefined {
  const choices = listOf(reply.choices).map((choice) => repairedChoice(membersOf(choice), reply.id));
  const usage = withCachedTokens(reply.usage);
  const isRepaired = choices.some((choice, index) => choice !== listOf(reply.choices)[index]);
  return isRepaired || usage !== reply.usage ? { ...reply, choices, usage } : undefined;
}

function repairedChoice(choice: JsonObject, replyId: unknown): JsonObject {
  const message = membersOf(choice.message);
  const calls = listOf(message.tool_calls).map(membersOf);
  const needsRepair = Array.isArray(message.content) || calls.some((call) => !isWholeCall(call));
  if (!needsRepair) return choice;
  const plain = withPlainContent(message);
  if (calls.length === 0) return { ...choice, message: { ...plain, content: plain.content ?? '' } };
  const tool_calls = calls.map(({ index: _index, ...call }, at) => ({
    ...call,
    id: textOf(call.id) || generatedToolId(replyId, at),
    type: 'function',
    function: withTextArguments(membersOf(call.function)),
  }));
  return { ...choice, message: { ...plain, content: plain.content ?? null, tool_calls } };
}

function isWholeCall({ id, type, function: called }: JsonObject): boolean {
  return typeof id === 'string' && typeof type === 'string' && !isObject(membersOf(called).arguments);
}

/** Repairs a message or a delta. */
function withPlainContent(holder: JsonObject): JsonObject {
  const { content, ...others } = holder;
  if (!Array.isArray(content)) return holder;
  let text = '';
  let thought = '';
  for (const part of content) {
    const read = readContentPart(membersOf(part));
    if (read.isThinking) thought += read.text;
    else text += read.text;
  }
  return {
    ...others,
    ...((text !== '' || thought === '') && { content: text }),
    ...(thought !== '' && { reasoning_content: thought }),
  };
}

/** @param calls ids by index; the piece's id is added if it starts a call */
function repairedPiece(piece: JsonObject, calls: string[], replyId: unknown): JsonObject {
  const called = membersOf(piece.function);
  const name = textOf(called.name);
  const index = indexOf(piece, name, calls);
  const begins = index === calls.length;
  if (begins && calls.length === MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
  if (begins) calls.push(textOf(piece.id) || generatedToolId(replyId, index));
  const { id: _id, type: _type, index: _index, ...others } = piece;
  return {
    index,
    ...(begins && { id: calls[index], type: 'function' }),
    ...others,
    // Clients take a name in a later piece, even an empty one, for another call's.
    function: withTextArguments(begins ? called : { ...called, name: undefined }),
  };
}

/** Returns the index of a known call, or the next one; two calls may have the same `index` but not the same id. */
function indexOf({ id, index }: JsonObject, name: string, calls: readonly string[]): number {
  const known = textOf(id) === '' ? -1 : calls.indexOf(textOf(id));
  if (known !== -1) return known;
  if (textOf(id) !== '') return calls.length;
  if (typeof index === 'number' && index >= 0 && index < calls.length) return index;
  return name === '' && calls.length > 0 ? calls.length - 1 : calls.length;
}

function withTextArguments(called: JsonObject): JsonObject {
  return isObject(called.arguments) ? { ...called, arguments: readArguments(called.arguments) } : called;
}

/** Returns the same usage if it has no `num_cached_tokens`, or has the format's own field too. */
function withCachedTokens(usage: unknown): unknown {
  const { num_cached_tokens: cached, prompt_tokens_details: details } = membersOf(usage);
  if (typeof cached !== 'number' || isObject(details)) return usage;
  return { ...membersOf(usage), prompt_tokens_details: { cached_tokens: cached } };
}
