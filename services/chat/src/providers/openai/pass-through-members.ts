import { GatewayError } from '@gateway/errors';
import { type JsonObject, listOf, membersOf } from '@gateway/upstream';
import { effortOf } from '../../domain/effort';
import {
  EXTENSION_FIELDS,
  type ExtensionField,
  isRequested,
  REASONING_FIELDS,
  reasoningOf,
} from '../../domain/extension-fields';
import type { OpenAiQuirks } from './quirks';
import { withoutFields } from './remove-fields';
import { withThinkingParts } from './write-messages';
import { refusedHints, replayQuirks, writeEffort } from './write-request';

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
  const effort = reasoningOf(body)?.effort;
  for (const field of refusedHints(quirks, capabilities, effort)) members.set(field, undefined);
  if (quirks.seedField !== 'seed' && 'seed' in body) {
    members.set('seed', undefined);
    if (typeof body.seed === 'number' && body.random_seed == null)
      members.set(quirks.seedField, String(body.seed));
  }
  const messages = withReplayedTurns(body.messages, replayQuirks(quirks, capabilities));
  const cleaned = withoutFields(messages, quirks.unsupportedFields) ?? messages;
  if (cleaned !== body.messages) members.set('messages', JSON.stringify(cleaned));
  const tools = withoutFields(body.tools, quirks.unsupportedFields);
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
  const saysItself = [...REASONING_FIELDS].some((field) => body[field] != null && !members.has(field));
  if (!saysItself && foreign.some((field) => REASONING_FIELDS.has(field))) {
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
  if (field !== 'thinking' || !thinkingSwitch) return true;
  const { type, ...others } = membersOf(body.thinking);
  return (type === 'enabled' || type === 'disabled') && Object.keys(others).length === 0;
}

/** Returns the same list if no turn changes. */
function withReplayedTurns(messages: unknown, quirks: OpenAiQuirks): unknown {
  if (!Array.isArray(messages)) return messages;
  let replayed = messages;
  if (quirks.reasoningReplay === 'thinking_parts' && messages.some(isThinking)) {
    replayed = replayed.map((message) => (isThinking(message) ? withThinkingParts(message) : message));
  }
  return quirks.refusesEmptyTurns && replayed.some(isEmptyTurn)
    ? replayed.filter((message) => !isEmptyTurn(message))
    : replayed;
}

function isThinking(message: unknown): message is JsonObject {
  const { role, reasoning_content: thought } = membersOf(message);
  return role === 'assistant' && typeof thought === 'string' && thought !== '';
}

function isEmptyTurn(message: unknown): boolean {
  const { role, content, tool_calls: calls } = membersOf(message);
  return role === 'assistant' && (content == null || content === '') && listOf(calls).length === 0;
}
