import type { AssistantPart, ToolCallPart, ToolResultPart, Turn, UserPart } from '../../domain/conversation';
import { fitToolId } from '../../domain/tool-ids';
import { parseExactObject } from '../../json/exact-json';
import type { Block, ToolResultBlock, ToolUseBlock, WireMessage } from './messages-body';
import { spokenTurns } from './spoken-turns';
import { type InputPart, textBlock, writeCache, writeInput, writeText } from './write-input';

type PlainPart = Exclude<AssistantPart, ToolCallPart>;

/** A conversation that does not begin with the user has to, for the API. */
const OPENING: WireMessage = {
  role: 'user',
  content: [textBlock('(The conversation begins.)')],
};
/** An interrupted agent leaves a call behind that nothing answered; the API refuses it without a result. */
const NO_RESULT = 'The tool gave no result.';
/** The API refuses a result whose call is not in the turn before, as in a history that was cut. */
const LOST_CALL = 'Result of an earlier tool call:';

/** What the user says to a model that does not go on from words of its own. */
const GO_ON: WireMessage = { role: 'user', content: [textBlock('(Continue.)')] };

/**
 * User and assistant in turn, the user first; every tool call answered in the message after it.
 * @param prefills the model goes on from the assistant's words when they are the last
 */
export function writeMessages(turns: readonly Turn[], prefills: boolean): WireMessage[] {
  const messages: WireMessage[] = [];
  const ids = new ToolUseIds();
  let calls: readonly ToolUse[] = [];
  for (const turn of spokenTurns(turns)) {
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
 * The same without the thoughts of the assistant's turn that is still open, the words to go on from or the
 * last round of tool calls: the API refuses them there unless thinking is asked for.
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
 * How the assistant's turn that is still open began: with a thought, without, or there is none. Words to go on
 * from exclude thinking, whatever stands before them.
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

/** A call of the history with the id that it has in this request. */
interface ToolUse {
  readonly call: ToolCallPart;
  readonly id: string;
}

/** Ids are unique in a request, though some clients begin anew in each turn. */
class ToolUseIds {
  readonly #given = new Set<string>();
  readonly #times = new Map<string, number>();

  give(call: ToolCallPart): ToolUse {
    let id = fitToolId(call.id);
    let times = this.#times.get(call.id) ?? 0;
    while (this.#given.has(id)) id = fitToolId(`${call.id} #${++times}`);
    this.#times.set(call.id, times);
    this.#given.add(id);
    return { call, id };
  }
}

/** Calls last: the API takes text behind them for the missing results. */
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
 * An object, as the API demands; what a model wrote wrongly, or not to its end, is kept in one as Anthropic
 * recommends (platform.claude.com, fine-grained tool streaming).
 */
function inputOf(json: string): Record<string, unknown> {
  if (json === '') return {};
  return parseExactObject(json) ?? { INVALID_JSON: json };
}

/** The results first, one for each call in their order; a result that answers none becomes what it says. */
function writeUser(parts: readonly UserPart[], calls: readonly ToolUse[]): Block[] {
  if (calls.length === 0 && parts.every(isInput)) return writeInput(parts);
  // Backwards, because to take the last of a long list moves no other.
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

/** The API refuses white space at the end of the words to go on from. */
function prefill({ role, content }: WireMessage): WireMessage {
  const last = content.at(-1);
  if (last?.type !== 'text') return { role, content };
  return { role, content: [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}
