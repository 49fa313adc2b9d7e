import type { AssistantPart, ToolCallPart, ToolResultPart, Turn, UserPart } from '../../domain/conversation';
import { fitToolId } from '../../domain/tool-ids';
import { parseExactObject } from '../../json/exact-json';
import { messageTurns } from './message-turns';
import type { Block, ToolResultBlock, ToolUseBlock, WireMessage } from './messages-body';
import { type InputPart, textBlock, writeCache, writeInput, writeText } from './write-input';

type PlainPart = Exclude<AssistantPart, ToolCallPart>;

/** The API requires that a conversation starts with the user. */
const OPENING: WireMessage = {
  role: 'user',
  content: [textBlock('(The conversation begins.)')],
};
/** An interrupted agent leaves a call without a result, which the API refuses. */
const NO_RESULT = 'The tool gave no result.';
/** The API refuses a result whose call is not in the previous turn, as in a truncated history. */
const LOST_CALL = 'Result of an earlier tool call:';

/** The user's text for a model that can't continue an assistant turn. */
const GO_ON: WireMessage = { role: 'user', content: [textBlock('(Continue.)')] };

/**
 * Writes alternating user and assistant messages, the user first; every tool call is answered in the next message.
 * @param prefills the model continues the assistant's text if it is the last message
 * @param keepsIds the ids of calls are sent as they are
 */
export function writeMessages(turns: readonly Turn[], prefills: boolean, keepsIds = false): WireMessage[] {
  const messages: WireMessage[] = [];
  const ids = new ToolUseIds(keepsIds);
  let calls: readonly ToolUse[] = [];
  for (const turn of messageTurns(turns)) {
    if (turn.role === 'assistant') {
      calls = turn.parts.filter((part) => part.kind === 'tool_call').map((call) => ids.give(call));
      messages.push({ role: 'assistant', content: writeAssistant(turn.parts, calls) });
    } else {
      messages.push({ role: 'user', content: writeUser(turn.parts, calls) });
      calls = [];
    }
  }
  if (calls.length > 0) messages.push({ role: 'user', content: writeUser([], calls) });
  if (messages[0]?.role !== 'user') messages.unshift(OPENING);
  if (messages.at(-1)?.role === 'assistant')
    messages.push(...(prefills ? [prefill(messages.pop()!)] : [GO_ON]));
  return messages;
}

/**
 * Returns the turns without the thinking of the assistant's unfinished turn, which is a prefilled text or the last round of
 * tool calls: the API refuses thinking there unless thinking is enabled.
 */
export function withoutOpenThoughts(messages: readonly WireMessage[]): readonly WireMessage[] {
  const open = openTurn(messages);
  if (!open?.content.some(isThoughtBlock)) return messages;
  return messages.map((message) =>
    message === open
      ? { ...message, content: message.content.filter((block) => !isThoughtBlock(block)) }
      : message,
  );
}

/**
 * Returns how the assistant's unfinished turn began: with thinking, without it, or undefined if there is none. A prefilled
 * text excludes thinking, whatever precedes it.
 */
export function openTurnThinks(messages: readonly WireMessage[]): boolean | undefined {
  if (messages.at(-1)?.role === 'assistant') return false;
  const first = openTurn(messages)?.content[0];
  return first && isThoughtBlock(first);
}

function openTurn(messages: readonly WireMessage[]): WireMessage | undefined {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last;
  return last?.content[0]?.type === 'tool_result' ? messages.at(-2) : undefined;
}

function isThoughtBlock({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** A call of the history with its id in this request. */
interface ToolUse {
  readonly call: ToolCallPart;
  readonly id: string;
}

/** Makes ids unique in a request, because some clients reuse them in each turn. */
class ToolUseIds {
  readonly #keepsIds: boolean;
  readonly #given = new Set<string>();
  readonly #times = new Map<string, number>();

  constructor(keepsIds: boolean) {
    this.#keepsIds = keepsIds;
  }

  give(call: ToolCallPart): ToolUse {
    let id = this.#keepsIds ? call.id : fitToolId(call.id);
    let times = this.#times.get(call.id) ?? 0;
    while (this.#given.has(id)) id = fitToolId(`${call.id} #${++times}`);
    this.#times.set(call.id, times);
    this.#given.add(id);
    return { call, id };
  }
}

/** Calls come last: the API takes text after them for the missing results. */
function writeAssistant(parts: readonly AssistantPart[], calls: readonly ToolUse[]): Block[] {
  const written: Block[] = [];
  for (const part of parts) if (part.kind !== 'tool_call') written.push(writeSaid(part));
  if (calls.length === 0) while (written.length > 0 && isThoughtBlock(written.at(-1)!)) written.pop();
  for (const call of calls) written.push(writeCall(call));
  return written;
}

function writeSaid(part: PlainPart): Block {
  if (part.kind === 'text') return writeText(part);
  if (part.kind === 'redacted_thinking') return { type: 'redacted_thinking', data: part.data.value };
  return { type: 'thinking', thinking: part.text, signature: part.signature?.value ?? '' };
}

function writeCall({ call, id }: ToolUse): ToolUseBlock {
  return {
    type: 'tool_use',
    id,
    name: call.name,
    input: inputOf(call.arguments),
    cache_control: writeCache(call.cache),
  };
}

/**
 * Returns an object, as the API requires. Invalid or truncated arguments are wrapped as Anthropic recommends
 * (platform.claude.com, fine-grained tool streaming).
 */
function inputOf(json: string): Record<string, unknown> {
  if (json === '') return {};
  return parseExactObject(json) ?? { INVALID_JSON: json };
}

/** Writes the results first, one for each call in their order; a result without a call becomes text. */
function writeUser(parts: readonly UserPart[], calls: readonly ToolUse[]): Block[] {
  if (calls.length === 0 && parts.every(isInput)) return writeInput(parts);
  // Reversed, because taking the last element of a long list moves no others.
  const open = Map.groupBy(calls.toReversed(), ({ call }) => call.id);
  const results = new Map<ToolUse, ToolResultBlock>();
  const said: Block[] = [];
  for (const part of parts) {
    if (isInput(part)) {
      for (const block of writeInput([part])) said.push(block);
      continue;
    }
    const answered = open.get(part.callId)?.pop();
    if (answered) results.set(answered, writeResult(answered.id, part));
    else said.push(textBlock(LOST_CALL), ...writeInput(part.parts));
  }
  return [...calls.map((use) => results.get(use) ?? noResult(use.id)), ...said];
}

function isInput(part: UserPart): part is InputPart {
  return part.kind !== 'tool_result';
}

function writeResult(id: string, { parts, isError, cache }: ToolResultPart): ToolResultBlock {
  const content = writeInput(parts);
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: content.length > 0 ? content : undefined,
    is_error: isError || undefined,
    cache_control: writeCache(cache),
  };
}

function noResult(id: string): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: [textBlock(NO_RESULT)],
    is_error: true,
    cache_control: undefined,
  };
}

/** The API refuses white space at the end of a prefilled text. */
function prefill({ role, content }: WireMessage): WireMessage {
  const last = content.at(-1);
  if (last?.type !== 'text') return { role, content };
  return { role, content: [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}
