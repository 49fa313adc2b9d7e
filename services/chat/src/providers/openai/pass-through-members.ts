import { GatewayError } from '@gateway/errors';
import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { effortOf } from '../../domain/effort';
import {
  EXTENSION_FIELDS,
  type ExtensionField,
  isRequested,
  REASONING_FIELDS,
  reasoningOf,
} from '../../domain/extension-fields';
import type { OpenAiQuirks } from './quirks';
import { withoutFields, withUsualCaching } from './remove-fields';
import { withReplayedThinking, withStringContent } from './write-messages';
import { fitToolChoice, refusedHints, replayQuirks, writeEffort } from './write-request';

/**
 * Returns the changes to a caller's own body without which the provider would refuse the call, for fields that are only hints
 * or have another name there: the new JSON of a top-level member, or undefined for a member to omit. They take precedence for
 * `stream_options` too: some providers do not know it.
 * @param body the caller's, parsed
 */
export function passThroughMembers(
  body: Readonly<Record<string, unknown>>,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
): ReadonlyMap<string, string | undefined> {
  if (quirks.documentPart === undefined) refuseFiles(body.messages);
  const members = withOwnFields(body, capabilities, quirks);
  const toolChoice = fitToolChoice(body.tool_choice, quirks);
  if (toolChoice !== body.tool_choice) members.set('tool_choice', JSON.stringify(toolChoice));
  const { maxTemperature } = quirks;
  if (
    maxTemperature !== undefined &&
    typeof body.temperature === 'number' &&
    body.temperature > maxTemperature
  ) {
    members.set('temperature', String(maxTemperature));
  }
  const effort = reasoningOf(body)?.effort;
  for (const field of refusedHints(quirks, capabilities, effort)) members.set(field, undefined);
  if (quirks.seedField !== 'seed' && 'seed' in body) {
    members.set('seed', undefined);
    if (typeof body.seed === 'number' && body.random_seed == null)
      members.set(quirks.seedField, String(body.seed));
  }
  const replaying = replayQuirks(quirks, capabilities);
  const messages = fitMessages(body.messages, replaying);
  const supported = withoutFields(messages, replaying.unsupportedFields) ?? messages;
  const cleaned = withUsualCaching(supported) ?? supported;
  if (cleaned !== body.messages) members.set('messages', JSON.stringify(cleaned));
  const supportedTools = withoutFields(body.tools, quirks.unsupportedFields);
  const tools = withUsualCaching(supportedTools ?? body.tools) ?? supportedTools;
  if (tools) members.set('tools', JSON.stringify(tools));
  return members;
}

/** @throws GatewayError `invalid_request` for a file, if the provider has no part for it */
function refuseFiles(messages: unknown): void {
  for (const [index, message] of listOf(messages).entries()) {
    const at = listOf(membersOf(message).content).findIndex((part) => membersOf(part).type === 'file');
    if (at === -1) continue;
    const detail = `messages[${index}].content[${at}]: documents are not supported by this model`;
    throw new GatewayError('invalid_request', { detail });
  }
}

/**
 * Removes the fields of other providers, translated if this provider has an equivalent.
 * @throws GatewayError `invalid_request` for a field without an equivalent
 */
function withOwnFields(
  body: Readonly<Record<string, unknown>>,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
): Map<string, string | undefined> {
  const members = new Map<string, string | undefined>();
  const foreign = EXTENSION_FIELDS.filter((field) => field in body && !isOwnField(body, field, quirks));
  for (const field of foreign) {
    members.set(field, undefined);
    if (REASONING_FIELDS.has(field) || !isRequested(body, field)) continue;
    if (field !== 'random_seed') {
      throw new GatewayError('invalid_request', { detail: `${field}: not supported by this model` });
    }
    if (body.seed == null) members.set(quirks.seedField, String(body.random_seed));
  }
  const saysItself =
    [...REASONING_FIELDS].some((field) => body[field] != null && !members.has(field)) ||
    (quirks.thinkingSwitch === 'chat_template_kwargs' && body.chat_template_kwargs != null);
  const dropsEffort = quirks.refusedHints.includes('reasoning_effort') && body.reasoning_effort != null;
  if (!saysItself && (dropsEffort || foreign.some((field) => REASONING_FIELDS.has(field)))) {
    const written = writeEffort(effortOf(reasoningOf(body), capabilities), quirks);
    for (const [field, value] of Object.entries(written)) members.set(field, JSON.stringify(value));
  }
  return members;
}

/** Other providers' forms of `thinking` (`adaptive`, `budget_tokens`) are more than an on/off switch. */
function isOwnField(
  body: Readonly<Record<string, unknown>>,
  field: ExtensionField,
  { ownFields, thinkingSwitch }: OpenAiQuirks,
): boolean {
  if (!ownFields.includes(field)) return false;
  if (!thinkingSwitch || !REASONING_FIELDS.has(field)) return true;
  if (field !== 'thinking' || thinkingSwitch !== 'thinking') return field === thinkingSwitch;
  const { type, ...others } = membersOf(body.thinking);
  return (type === 'enabled' || type === 'disabled') && Object.keys(others).length === 0;
}

/** Returns the same list if no message changes. */
function fitMessages(messages: unknown, quirks: OpenAiQuirks): unknown {
  if (!Array.isArray(messages)) return messages;
  const whole = quirks.reasoningReplay === undefined ? messages : withJoinedThoughts(messages);
  const fitted = whole.map((message) => (isObject(message) ? fitMessage(message, quirks) : message));
  if (quirks.refusesEmptyTurns && fitted.some(isEmptyTurn)) {
    return fitted.filter((message) => !isEmptyTurn(message));
  }
  return whole === messages && fitted.every((message, at) => message === messages[at]) ? messages : fitted;
}

/**
 * Returns the messages with thinking that is an assistant message of its own moved to the assistant message that follows it; the
 * same list if there is none.
 */
function withJoinedThoughts(messages: readonly unknown[]): readonly unknown[] {
  const isAlone = (message: unknown, at: number) =>
    isEmptyTurn(message) &&
    isThoughtful(membersOf(message)) &&
    membersOf(messages[at + 1]).role === 'assistant';
  if (!messages.some(isAlone)) return messages;
  const joined: unknown[] = [];
  let earlier: JsonObject[] = [];
  for (const [at, message] of messages.entries()) {
    if (isAlone(message, at)) earlier.push(membersOf(message));
    else if (earlier.length === 0) joined.push(message);
    else {
      joined.push(withThoughts([...earlier, membersOf(message)]));
      earlier = [];
    }
  }
  return joined;
}

const isThoughtful = (message: JsonObject): boolean =>
  plainThought(message) !== '' || listOf(message.reasoning_details).length > 0;

/** Returns the last of the messages with the thinking of all of them. */
function withThoughts(messages: readonly JsonObject[]): JsonObject {
  const { reasoning: _, ...last } = messages.at(-1)!;
  const thought = messages.map(plainThought).join('');
  const details = messages.flatMap((message) => listOf(message.reasoning_details));
  return {
    ...last,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

const plainThought = ({ reasoning_content: content, reasoning }: JsonObject): string =>
  textOf(content) || textOf(reasoning);

/** Returns the thinking of a message, which may stand only in the details; signed details are those of another provider. */
function thoughtOf(message: JsonObject): string {
  const unsigned = listOf(message.reasoning_details)
    .map(membersOf)
    .filter(({ signature }) => !signature);
  return plainThought(message) || unsigned.map(({ text }) => textOf(text)).join('');
}

/** Returns the same message if it does not change. */
function fitMessage(message: JsonObject, quirks: OpenAiQuirks): JsonObject {
  if (message.role === 'developer' && !quirks.developerRole) {
    return fitMessage({ ...message, role: 'system' }, quirks);
  }
  const fitted = message.role === 'assistant' ? fitThinking(message, quirks) : message;
  return quirks.stringContent ? withStringContent(fitted) : fitted;
}

/** Moves thinking, which came from this or another provider, to where this provider expects it. */
function fitThinking(message: JsonObject, { reasoningReplay: replay }: OpenAiQuirks): JsonObject {
  if (replay === undefined || replay === 'reasoning_details' || message[replay] != null) return message;
  const { reasoning: _, ...others } = message;
  const thought = thoughtOf(message);
  return thought === '' ? message : withReplayedThinking({ ...others, reasoning_content: thought }, replay);
}

function isEmptyTurn(message: unknown): boolean {
  const { role, content, tool_calls: calls } = membersOf(message);
  return role === 'assistant' && (content == null || content === '') && listOf(calls).length === 0;
}
