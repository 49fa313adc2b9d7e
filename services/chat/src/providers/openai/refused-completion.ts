import {
  type JsonObject,
  listOf,
  membersOf,
  showableMessage,
  textOf,
  type UpstreamFailure,
} from '@gateway/upstream';
import type { RefusedResponse } from '../../domain/chat-provider';

/**
 * Values of `error.code` or `error.type` for an account of ours without funds, or closed. OpenAI answers 429, but waiting does
 * not help (developers.openai.com, guide "Error codes").
 */
const OUR_ACCOUNT = new Set([
  'account_deactivated',
  // Alibaba's and Moonshot's.
  'Arrearage',
  'exceeded_current_quota_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'credit_balance_exhausted',
  'insufficient_quota',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'project_spend_limit_exceeded',
]);
/** xAI's messages, with 400 and 429. Matched at the start, because messages quote the call further on. */
const OUR_KEY_WORDS = /^incorrect api key provided/i;
const OUR_FUNDS_WORDS = /^your (newly created )?team\b.*\b(credits|spending limit)/i;
/** xAI's and OpenRouter's messages for content that their moderation refuses, with 403 (inspect_ai#2267; openrouter.ai/docs, errors). */
const FLAGGED_WORDS = /^content violates usage guidelines|requires moderation|input was flagged/i;

/** OpenRouter names the reasons in `error.metadata`. */
const isFlagged = (words: string, { reasons, flagged_input: flagged }: JsonObject): boolean =>
  FLAGGED_WORDS.test(words) || listOf(reasons).length > 0 || flagged !== undefined;

/** Statuses that blame the call, so that the caller learns the reason. */
const CALLS_FAULT = new Set([400, 413, 415, 422]);

/**
 * Returns what an error means if its status does not tell, or if its message is not where OpenAI's is: xAI puts it in `error`
 * itself, Mistral in `message`, or in `detail` by field.
 */
export function refusedCompletion({ status, body }: RefusedResponse): UpstreamFailure | undefined {
  const { error, message, detail } = membersOf(body);
  const { code, type, message: usual } = membersOf(error);
  const words =
    textOf(usual) || textOf(error) || textOf(message) || fieldsOf(detail ?? membersOf(message).detail);
  if (OUR_KEY_WORDS.test(words)) return { kind: 'status', status: 401 };
  if (OUR_ACCOUNT.has(textOf(code)) || OUR_ACCOUNT.has(textOf(type)) || OUR_FUNDS_WORDS.test(words)) {
    return { kind: 'status', status: 402 };
  }
  // Groq: the model's own call was malformed (agno#4090).
  if (code === 'tool_use_failed') return { kind: 'status', status: 502 };
  if (status === 403 && isFlagged(words, membersOf(membersOf(error).metadata))) {
    return {
      kind: 'status',
      status: 400,
      message: showableMessage(words) ?? 'the provider refused the content',
    };
  }
  if (usual !== undefined || !CALLS_FAULT.has(status)) return undefined;
  const shown = showableMessage(words);
  return shown === undefined ? undefined : { kind: 'status', status, message: shown };
}

/** `messages[1].tool_call_id: Field required`, without the value that was sent. */
function fieldsOf(detail: unknown): string {
  return listOf(detail)
    .map((entry) => fieldOf(membersOf(entry)))
    .join('; ');
}

function fieldOf({ loc, msg }: JsonObject): string {
  const path = listOf(loc).filter((step) => step !== 'body');
  return `${path.join('.')}: ${textOf(msg)}`;
}
