import { GatewayError } from '@gateway/errors';
import { type JsonObject, listOf, membersOf } from '@gateway/upstream';
import { effortOf } from '../../domain/effort';
import {
  asksFor,
  EXTENSION_FIELDS,
  type ExtensionField,
  REASONING_FIELDS,
  reasoningOf,
} from '../../domain/extension-fields';
import type { OpenAiDialect } from './dialect';
import { withoutForeign } from './foreign-fields';
import { withThinkingParts } from './write-messages';
import { refusedHints, replayDialect, writeEffort } from './write-request';

/**
 * Returns the changes to a caller's own body without which the provider would refuse the call, for fields that are only hints
 * or have another name there: the new JSON of a top-level member, or undefined for a member to omit. They take precedence for
 * `stream_options` too: some providers do not know it.
 * @param body the caller's, parsed
 */
export function passedMembers(
  body: Readonly<Record<string, unknown>>,
  capabilities: ReadonlySet<string>,
  dialect: OpenAiDialect,
): ReadonlyMap<string, string | undefined> {
  if (dialect.documentPart === undefined) refuseFiles(body.messages);
  const members = withOwnFields(body, capabilities, dialect);
  const effort = reasoningOf(body)?.effort;
  for (const field of refusedHints(dialect, capabilities, effort)) members.set(field, undefined);
  if (dialect.seedField !== 'seed' && 'seed' in body) {
    members.set('seed', undefined);
    if (typeof body.seed === 'number' && body.random_seed == null)
      members.set(dialect.seedField, String(body.seed));
  }
  const messages = withReplayedTurns(body.messages, replayDialect(dialect, capabilities));
  const cleaned = withoutForeign(messages, dialect.foreignFields) ?? messages;
  if (cleaned !== body.messages) members.set('messages', JSON.stringify(cleaned));
  const tools = withoutForeign(body.tools, dialect.foreignFields);
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
  dialect: OpenAiDialect,
): Map<string, string | undefined> {
  const members = new Map<string, string | undefined>();
  const foreign = EXTENSION_FIELDS.filter((field) => field in body && !isOwnField(body, field, dialect));
  for (const field of foreign) {
    members.set(field, undefined);
    if (REASONING_FIELDS.has(field) || !asksFor(body, field)) continue;
    if (field !== 'random_seed') {
      throw new GatewayError('invalid_request', { detail: `${field}: not supported by this model` });
    }
    if (body.seed == null) members.set(dialect.seedField, String(body.random_seed));
  }
  const saysItself = [...REASONING_FIELDS].some((field) => body[field] != null && !members.has(field));
  if (!saysItself && foreign.some((field) => REASONING_FIELDS.has(field))) {
    const written = writeEffort(effortOf(reasoningOf(body), capabilities), dialect);
    for (const [field, value] of Object.entries(written)) members.set(field, JSON.stringify(value));
  }
  return members;
}

/** Other providers' forms of `thinking` (`adaptive`, `budget_tokens`) are more than an on/off switch. */
function isOwnField(
  body: Readonly<Record<string, unknown>>,
  field: ExtensionField,
  { ownFields, thinkingSwitch }: OpenAiDialect,
): boolean {
  if (!ownFields.includes(field)) return false;
  if (field !== 'thinking' || !thinkingSwitch) return true;
  const { type, ...others } = membersOf(body.thinking);
  return (type === 'enabled' || type === 'disabled') && Object.keys(others).length === 0;
}

/** Returns the same list if no turn changes. */
function withReplayedTurns(messages: unknown, dialect: OpenAiDialect): unknown {
  if (!Array.isArray(messages)) return messages;
  let replayed = messages;
  if (dialect.reasoningReplay === 'thinking_parts' && messages.some(isThought)) {
    replayed = replayed.map((message) => (isThought(message) ? withThinkingParts(message) : message));
  }
  return dialect.refusesEmptyTurns && replayed.some(isEmptyTurn)
    ? replayed.filter((message) => !isEmptyTurn(message))
    : replayed;
}

function isThought(message: unknown): message is JsonObject {
  const { role, reasoning_content: thought } = membersOf(message);
  return role === 'assistant' && typeof thought === 'string' && thought !== '';
}

function isEmptyTurn(message: unknown): boolean {
  const { role, content, tool_calls: calls } = membersOf(message);
  return role === 'assistant' && (content == null || content === '') && listOf(calls).length === 0;
}
