import { GatewayError } from '@gateway/errors';
import type { ToolCallPart, ToolResultPart, Turn, UserPart } from '../../domain/conversation';
import { placedSignature } from '../../domain/gemini-signature';
import { isThought, joinSpokenTurns } from '../../domain/join-adjacent-turns';
import type { GeminiContent, GeminiPart } from './gemini-content';
import type { GeminiModel } from './gemini-model';
import { writeMedia } from './write-media';
import { writeModelParts } from './write-model-parts';
import { writeToolResult } from './write-tool-result';

/** Placeholder for a missing user turn; Gemini refuses empty text. */
const PLACEHOLDER: GeminiPart = { text: ' ' };
const NO_CALLS: readonly ToolCallPart[] = [];

/**
 * Writes `contents`: roles alternate, the user is first, and every function call is answered at once, in the order of the
 * calls. Responses stand alone: with other parts beside them Gemini 2.5 miscounts them and refuses the request ("number of
 * function response parts", gemini-cli#16135). Other content of the user follows.
 * @throws GatewayError `invalid_request` for a result without a call, and for a last turn that can't be continued
 */
export function writeContents(turns: readonly Turn[], model: GeminiModel): GeminiContent[] {
  const contents: GeminiContent[] = [];
  let calls = NO_CALLS;
  // System turns do not separate two turns of one role.
  const spoken = turns.filter((turn) => turn.role !== 'system');
  for (const { role, parts } of joinSpokenTurns(spoken, isForeignThought)) {
    if (role === 'assistant') {
      addContent(contents, 'model', writeModelParts(parts, model));
      calls = parts.filter((part) => part.kind === 'tool_call');
    } else {
      addUser(contents, calls, parts, model);
      calls = NO_CALLS;
    }
  }
  if (calls.length > 0) addUser(contents, calls, [], model);
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [PLACEHOLDER] });
  if (contents.at(-1)?.role !== 'model') return contents;
  // After a final instruction the model starts a turn; it does not continue one.
  if (turns.at(-1)?.role === 'system') contents.push({ role: 'user', parts: [PLACEHOLDER] });
  else if (!model.continuesOwnTurn) {
    throw refused(
      "this model does not continue a turn of the assistant: the last message must be the user's",
    );
  }
  return contents;
}

/** Returns whether nothing of a turn is written: it has only thinking that Gemini has not signed. */
const isForeignThought = ({ parts }: Turn): boolean =>
  parts.every((part) => isThought(part) && !(part.kind === 'thinking' && placedSignature(part.signature)));

function addUser(
  contents: GeminiContent[],
  calls: readonly ToolCallPart[],
  parts: readonly UserPart[],
  model: GeminiModel,
): void {
  const words: GeminiPart[] = [];
  const results = parts.filter((part) => part.kind === 'tool_result');
  if (calls.length > 0 || results.length > 0) {
    const answers = matched(calls, results).map(([call, result]) => writeToolResult(call, result, model));
    contents.push({ role: 'user', parts: answers.map(({ response }) => response) });
    words.push(...answers.flatMap(({ media }) => media));
  }
  for (const part of parts) {
    if (part.kind === 'text') {
      if (part.text !== '') words.push({ text: part.text, thought: undefined, thoughtSignature: undefined });
    } else if (part.kind !== 'tool_result') words.push(writeMedia(part));
  }
  addContent(contents, 'user', words);
}

/** A turn without content does not separate its neighbors. */
function addContent(contents: GeminiContent[], role: GeminiContent['role'], parts: GeminiPart[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role && !last.parts[0]?.functionResponse) last.parts.push(...parts);
  else contents.push({ role, parts });
}

/** Pairs each call with its result, if it has one; calls that share an id take the results of that id in order. */
function matched(
  calls: readonly ToolCallPart[],
  results: readonly ToolResultPart[],
): [ToolCallPart, ToolResultPart | undefined][] {
  // Reversed, because taking the last element of a long list moves no others.
  const left = Map.groupBy(results.toReversed(), ({ callId }) => callId);
  const pairs = calls.map((call): [ToolCallPart, ToolResultPart | undefined] => [
    call,
    left.get(call.id)?.pop(),
  ]);
  const taken = new Set(pairs.map(([, result]) => result));
  const lost = results.find((result) => !taken.has(result));
  if (lost) {
    throw refused(`no tool call with id ${lost.callId.slice(0, 100)} in the preceding turn`);
  }
  return pairs;
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
