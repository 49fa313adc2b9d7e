import { isObject, type JsonObject, listOf, membersOf } from '@gateway/upstream';
import { OPERATORS_COSTS, withoutCosts, withoutOperatorsCosts } from '../../domain/operators-costs';
import type { ReplyEvent } from '../../domain/reply';
import { parseExactData } from '../../sse/sse-data';
import { agreedFinishReason, isCustomCall, readCalls, readContentPart } from './reply-json';
import { ToolCallPieces } from './tool-call-pieces';

/** Members that may need a repair, but for tool calls. A quote inside a JSON string is escaped, so these are always members. */
const OTHER_REPAIRS = new RegExp(
  `"(?:finish_reason": ?"[^"]|function_call": ?\\{|content": ?\\[|(?:num_cached_tokens|${OPERATORS_COSTS.join('|')})")`,
);
const REPAIRS = new RegExp(`"tool_calls": ?\\[ ?\\{|${OTHER_REPAIRS.source}`);
/** The same and those of figures and errors, so that one search tells the chunks that have only text. */
const MARKS = new RegExp(`"usage"(?!:null)|"error"|${REPAIRS.source}`);
const FINISH = /"finish_reason": ?"[^"]/;
const CALLS_KEY = '"tool_calls"';
/** The only piece of a call's arguments as OpenAI writes it, after which no other object or list begins. */
const CONTINUED =
  /"tool_calls":\[\{"index":(\d{1,4}),"function":\{"arguments":"[^"\\]*(?:\\.[^"\\]*)*"\}\}\][^{[]*$/;
const FUNCTION_CALL = /"function_call": ?\{/;

/** The calls of a choice so far. */
interface Calls {
  readonly pieces: ToolCallPieces;
  /** Only OpenAI has custom tools, and its pieces need no repair. */
  isCustom: boolean;
  /** The choice has its finish reason. */
  isEnded: boolean;
}

/**
 * Rewrites the deviations of a stream's chunks that callers of OpenAI's format can't read: content as a list becomes a string
 * and `reasoning_content`, tool calls get their `index`, `id`, `type` and arguments that are an object, finish reasons agree with
 * the calls, `num_cached_tokens` is also set in the format's own field, and what the operator pays is left out.
 */
export class ChunkRepair {
  /** By the index of their choice. */
  readonly #calls = new Map<unknown, Calls>();
  /** It has a call of the older form, of which there is at most one. */
  #hasFunctionCall = false;
  #isFinish = false;
  #isPlain = false;
  #isText = false;

  /** Whether the last event had a finish reason. */
  get isFinish(): boolean {
    return this.#isFinish;
  }

  /** Whether the last event had nothing but text, neither figures nor an error. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** Whether the last event had nothing but text or a further piece of a call's arguments. */
  get isText(): boolean {
    return this.#isText;
  }

  /** Returns the end of the first choice, for a stream that ends without a finish reason; undefined if it has no tool calls. */
  end(): JsonObject | undefined {
    const [calls] = this.#calls.values();
    if (!calls) return undefined;
    const rest = restOf(calls);
    const finish_reason = agreedFinishReason(null, countOf(calls), false);
    return { index: 0, delta: rest.length > 0 ? { tool_calls: rest } : {}, finish_reason };
  }

  /**
   * Returns the same event if it needs no repair. Text and most pieces of arguments are recognized by their bytes and not parsed,
   * which would cost measurable time.
   * @throws Error when the provider ends the reply with a failure
   */
  repaired(event: Buffer): Buffer {
    const text = event.toString('latin1');
    this.#isFinish = false;
    this.#isPlain = !MARKS.test(text);
    this.#isText = this.#isPlain || this.#continuesCall(text);
    if (this.#isText || !REPAIRS.test(text)) return event;
    this.#isFinish = FINISH.test(text);
    if (FUNCTION_CALL.test(text)) this.#hasFunctionCall = true;
    const chunk = parseExactData(event);
    if (!chunk) return event;
    const received = listOf(chunk.choices);
    const choices = received.map((choice) => this.#choice(membersOf(choice), chunk.id));
    const shown = withoutOperatorsCosts(chunk);
    const usage = withCachedTokens(shown.usage);
    const isSame = shown === chunk && usage === chunk.usage;
    if (isSame && choices.every((choice, at) => choice === received[at])) return event;
    return Buffer.from(
      `data: ${JSON.stringify({ ...shown, ...('choices' in chunk && { choices }), usage })}\n\n`,
    );
  }

  /** Whether the chunk has only a further piece of a call's arguments. */
  #continuesCall(text: string): boolean {
    if (this.#calls.size !== 1) return false;
    const match = CONTINUED.exec(text);
    if (!match || text.indexOf(CALLS_KEY) !== match.index || OTHER_REPAIRS.test(text)) return false;
    const [calls] = this.#calls.values();
    return calls!.pieces.hasArguments(Number(match[1]));
  }

  /** Returns the same choice if it needs no repair. */
  #choice(choice: JsonObject, replyId: unknown): JsonObject {
    const received = membersOf(choice.delta);
    const calls = this.#calls.get(choice.index) ?? noCalls();
    let delta = withPlainContent(withoutCosts(received));
    if (listOf(received.tool_calls).length > 0) {
      this.#calls.set(choice.index, calls);
      delta = withRepairedPieces(delta, calls, replyId);
    }
    const reason = choice.finish_reason;
    if (typeof reason !== 'string' || reason === '')
      return delta === received ? choice : { ...choice, delta };
    const rest = restOf(calls);
    if (rest.length > 0) delta = { ...delta, tool_calls: [...listOf(delta.tool_calls), ...rest] };
    const finish = agreedFinishReason(reason, countOf(calls), this.#hasFunctionCall);
    // A choice of a text completion has a text instead.
    const isWhole = isObject(choice.delta) || 'text' in choice;
    if (isWhole && delta === received && finish === reason) return choice;
    return { ...choice, ...('text' in choice ? {} : { delta }), finish_reason: finish };
  }
}

const noCalls = (): Calls => ({ pieces: new ToolCallPieces(), isCustom: false, isEnded: false });

/** Of custom tools there is at least one. */
const countOf = ({ pieces, isCustom }: Calls): number => (isCustom ? 1 : pieces.count);

/** Returns the pieces that a choice lacks when it ends: some providers repeat its finish reason. */
function restOf(calls: Calls): object[] {
  const { pieces, isCustom, isEnded } = calls;
  if (isCustom || isEnded) return [];
  calls.isEnded = true;
  const rest = pieces
    .end()
    .flatMap((event) =>
      event.kind === 'tool_arguments' ? [{ index: event.call, function: { arguments: event.text } }] : [],
    );
  // Clients parse the arguments even if there are none.
  const bare = pieces.bare.map((index) => ({ index, function: { arguments: '{}' } }));
  return [...rest, ...bare];
}

/** Returns the same delta if its pieces need no repair. */
function withRepairedPieces(delta: JsonObject, calls: Calls, replyId: unknown): JsonObject {
  const received = listOf(delta.tool_calls).map(membersOf);
  if (received.some(isCustomCall)) calls.isCustom = true;
  if (calls.isCustom) return delta;
  const pieces = received.flatMap((piece) => repairedPiece(piece, calls.pieces, replyId) ?? []);
  if (pieces.length === received.length && pieces.every((piece, at) => piece === received[at])) return delta;
  const { tool_calls: _, ...others } = delta;
  // An empty list makes some clients wait for calls.
  return pieces.length === 0 ? others : { ...others, tool_calls: pieces };
}

/** Returns the same piece if it needs no repair; undefined if it says nothing. */
function repairedPiece(piece: JsonObject, calls: ToolCallPieces, replyId: unknown): JsonObject | undefined {
  const events: ReplyEvent[] = [];
  calls.read(piece, replyId, events);
  const start = events.find((event) => event.kind === 'tool_call');
  const more = events.find((event) => event.kind === 'tool_arguments');
  const late = events.find((event) => event.kind === 'call_signature');
  const index = start?.call ?? late?.call ?? more?.call;
  if (index === undefined) return undefined;
  const { id, type, index: given, function: called, ...others } = piece;
  const early = start?.signature && !others.extra_content ? start.signature : undefined;
  const { name, arguments: args } = membersOf(called);
  const text = more?.text ?? '';
  // Clients take a name in a later piece, even an empty one, for another call's.
  const isWhole =
    given === index && id === start?.id && name === start?.name && args === text && early === undefined;
  if (isWhole && type === (start && 'function')) return piece;
  return {
    index,
    ...(start && { id: start.id, type: 'function' }),
    ...others,
    ...(early && { extra_content: { google: { thought_signature: early.value } } }),
    function: { ...(start && { name: start.name }), arguments: text },
  };
}

/**
 * Does the same for a complete reply; undefined if it needs no repair.
 * @throws Error when the provider ended the reply with a failure, or a call has no name
 */
export function repairedReply(reply: JsonObject): JsonObject | undefined {
  const received = listOf(reply.choices);
  const choices = received.map((choice) => repairedChoice(membersOf(choice), reply.id));
  const shown = withoutCosts(reply);
  const usage = withCachedTokens(reply.usage);
  const isSame = shown === reply && usage === reply.usage;
  return isSame && choices.every((choice, at) => choice === received[at])
    ? undefined
    : { ...shown, choices, usage };
}

/** Returns the same choice if it needs no repair. */
function repairedChoice(choice: JsonObject, replyId: unknown): JsonObject {
  const received = choice.message;
  const message = isObject(received)
    ? repairedMessage(received, replyId)
    : { role: 'assistant', content: null };
  const isLegacy = isObject(message.function_call);
  const calls = listOf(message.tool_calls).length;
  const finish_reason = agreedFinishReason(choice.finish_reason, calls, isLegacy);
  if (message === received && finish_reason === choice.finish_reason) return choice;
  return { ...choice, message, finish_reason };
}

/** Returns the same message if it needs no repair. */
function repairedMessage(message: JsonObject, replyId: unknown): JsonObject {
  const plain = withPlainContent(withoutCosts(message));
  const received = listOf(message.tool_calls);
  const calls = received.some((call) => isCustomCall(membersOf(call)))
    ? received
    : readCalls(message, replyId).map(repairedCall);
  const areWhole = calls.length === received.length && calls.every((call, at) => call === received[at]);
  if (plain === message && areWhole) return message;
  const { tool_calls: _, ...others } = plain;
  if (calls.length === 0) return { ...others, content: plain.content ?? '' };
  return { ...others, content: plain.content ?? null, tool_calls: calls };
}

/** Returns the same call if it needs no repair. */
function repairedCall({ received, id, name, text }: ReturnType<typeof readCalls>[number]): JsonObject {
  const { index: _, ...call } = received;
  const args = text === '' ? '{}' : text;
  const isWhole = call.type === 'function' && call.id === id && membersOf(call.function).arguments === args;
  return isWhole ? received : { ...call, id, type: 'function', function: { name, arguments: args } };
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

/** Returns the same usage if it has no `num_cached_tokens`, or has the format's own field too. */
function withCachedTokens(usage: unknown): unknown {
  const { num_cached_tokens: cached, prompt_tokens_details: details } = membersOf(usage);
  if (typeof cached !== 'number' || isObject(details)) return usage;
  return { ...membersOf(usage), prompt_tokens_details: { cached_tokens: cached } };
}
