import { GatewayError } from '@gateway/errors';
import {
  type ParsedObject,
  parseJsonObject,
  safeParse,
  schemaError,
  withMembers,
  withoutEmptyModel,
} from '@gateway/json-body';
import type { CallerRequest, UnknownFields } from '../../domain/caller-request';
import type { Conversation } from '../../domain/conversation';
import type { PassThroughChange } from '../../domain/pass-through-change';
import type { RequestSize } from '../../domain/upper-bound';
import { BODY_BOUNDS } from '../body-bounds';
import { anthropicReplies } from './anthropic-replies';
import { withExactInputs } from './exact-inputs';
import { withoutForeignSearches } from './foreign-searches';
import {
  type countTokensSchema,
  looseMessagesSchema,
  type MessagesBody,
  messagesSchema,
} from './messages-schema';
import { withoutThinkingBudget } from './missing-thinking';
import { passThroughHeaders } from './pass-through-headers';
import { refusedFields, refuseThread } from './refused-fields';
import { withoutRefusedThinking } from './refused-thinking';
import { isEmptyTurn, RequestCheck } from './request-check';
import { FORMAT_PROMPT_TOKENS } from './supported-tools';
import { toConversation } from './to-conversation';
import { isUnboundedSearch, withMaxUses } from './web-search-tool';

/** Required fields for which null and empty count as missing. */
const REQUIRED = [
  ...['messages', 'max_tokens', 'role', 'content', 'type', 'content.text', 'source'],
  ...['tools.name', 'tools.input_schema'],
];

/**
 * @param unknownFields how to treat top-level fields that the format does not document
 * @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model`
 */
export function parseMessagesRequest(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  unknownFields: UnknownFields = 'refuse',
): CallerRequest {
  const passed = passThroughHeaders(headers);
  const schema = unknownFields === 'refuse' ? messagesSchema : looseMessagesSchema;
  const { members, parsed, body, check, model } = readMessages(bytes, schema);
  let conversation: Conversation | undefined;
  return {
    wire: 'anthropic',
    model,
    stream: body.stream ?? false,
    includeUsage: true,
    // `auto` and `standard_only` cost the same: capacity bought in advance is the operator's.
    serviceTier: undefined,
    size: sizeOf(bytes, body, check),
    passThroughHeaders: passed,
    parsed,
    conversation: () => {
      conversation ??= toConversation(body);
      return conversation;
    },
    passThroughBody: (change) => passThroughBody({ bytes, members, parsed, body, check }, change),
    replies: anthropicReplies,
  };
}

export interface ReadMessages {
  readonly members: ParsedObject['members'];
  readonly parsed: ParsedObject['value'];
  readonly body: MessagesBody;
  readonly check: RequestCheck;
  readonly model: string;
}

/** @throws GatewayError as `parseMessagesRequest` does */
export function readMessages(
  bytes: Buffer,
  schema: typeof messagesSchema | typeof looseMessagesSchema | typeof countTokensSchema,
): ReadMessages {
  const { value, members } = parseJsonObject(bytes, BODY_BOUNDS);
  refuseThread(value);
  const check = new RequestCheck();
  check.messages(value.messages);
  check.system(value.system);
  check.tools(value.tools);
  check.cacheControl(value.cache_control);
  for (const { path, why } of refusedFields(value)) check.fault(path, `not supported: ${why}`);
  const result = safeParse(schema, withoutEmptyModel(value));
  const issues = [...(result.error?.issues ?? []), ...check.issues];
  if (issues.length > 0 || !result.success) throw schemaError(value, issues, REQUIRED);
  if (!result.data.model) throw new GatewayError('invalid_model');
  const body = result.data as MessagesBody;
  const messages = withExactInputs(body.messages, bytes, members);
  const exact = messages === body.messages ? body : { ...body, messages };
  return { members, parsed: value, body: exact, check, model: result.data.model };
}

function sizeOf(bytes: Buffer, body: MessagesBody, check: RequestCheck): RequestSize {
  const formatted = body.output_config?.format ?? body.output_format;
  return {
    bodyBytes: bytes.length,
    hasMedia: check.hasMedia,
    images: check.images,
    imageBytes: check.imageBytes,
    ...(check.pdfs.length > 0 && {
      pdfs: check.pdfs,
      pdfBytes: check.pdfs.reduce((bytes, { length }) => bytes + length, 0),
    }),
    ...(check.links.length > 0 && { links: check.links }),
    choices: 1,
    predictionBytes: 0,
    ...(body.max_tokens !== undefined && { maxOutputTokens: body.max_tokens }),
    hiddenInputTokens: check.hiddenInputTokens + (formatted ? FORMAT_PROMPT_TOKENS : 0),
    ...(body.thinking?.type === 'enabled' && { thinkingBudgetTokens: body.thinking.budget_tokens }),
    longCache: check.longCache,
    ...(check.webSearches !== undefined && { webSearches: check.webSearches }),
  };
}

/** A lowered maximum stays above the thinking budget, because the bound's minimum does. */
function passThroughBody(
  { bytes, members, parsed, body, check }: Omit<ReadMessages, 'model'> & { readonly bytes: Buffer },
  { upstreamModel, maxTokens, overrides }: PassThroughChange,
): Buffer {
  const values = new Map<string, string | undefined>([['model', JSON.stringify(upstreamModel)]]);
  if (maxTokens !== undefined) values.set('max_tokens', String(maxTokens));
  const nonEmpty = check.emptyTurns
    ? body.messages.filter((message) => !isEmptyTurn(message))
    : body.messages;
  const ownSearches = check.hasForeignSearch ? withoutForeignSearches(nonEmpty) : nonEmpty;
  const messages = check.hasRefusedThinking ? withoutRefusedThinking(ownSearches) : ownSearches;
  const withoutThinking = withoutThinkingBudget({ ...body, messages });
  if (withoutThinking) {
    values.set('thinking', undefined);
    values.set('context_management', jsonOf(withoutThinking.context_management));
  }
  if (withoutThinking || messages !== body.messages) {
    values.set('messages', JSON.stringify(withoutThinking?.messages ?? messages));
  }
  if (check.webSearches !== undefined && body.tools?.some(isUnboundedSearch))
    values.set('tools', JSON.stringify(withMaxUses(body.tools)));
  for (const [member, value] of overrides?.(parsed) ?? []) values.set(member, value);
  return withMembers(bytes, members, values);
}

function jsonOf(value: unknown): string | undefined {
  return value == null ? undefined : JSON.stringify(value);
}
