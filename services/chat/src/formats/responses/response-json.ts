import type { ResponseError } from '@gateway/errors';
import { inputTokensOf } from '@gateway/pricing';
import type { ReplyIdentity } from '../../domain/caller-request';
import { responseId, withDefaults } from '../../domain/response-members';
import { type BilledUsage, cacheWritesOf } from '../../domain/usage';
import { exactUsd } from '../../json/exact-json';
import { isLeftOut, type ResponsesBody } from './responses-schema';

/** A response's members that repeat the request, as JSON without braces. Written once, although every event of a kind has them. */
export function requestMembers(body: ResponsesBody, isStored: boolean): string {
  const { reasoning, text, tools } = body;
  const members = {
    // Required, like the others that are null (openai 7.55).
    access_programs: null,
    background: body.background ?? false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: isStored,
    temperature: body.temperature ?? 1,
    text: { format: text?.format ?? { type: 'text' }, ...(text?.verbosity && { verbosity: text.verbosity }) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (tools ?? []).filter(isOffered).map(withDefaults),
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    ...(body.user && { user: body.user }),
  };
  return JSON.stringify(members).slice(1, -1);
}

/** Longer members would multiply a large request, for a client that may read slowly. */
const MAX_REPEATED_CHARS = 256 * 1024;

/** Returns the members for events before the last one: those of an empty request if they are long. */
export const repeatedMembers = (members: string, isStored: boolean): string =>
  members.length <= MAX_REPEATED_CHARS ? members : requestMembers({ model: null, input: '' }, isStored);

const isOffered = (tool: unknown): boolean => !isLeftOut(tool as Record<string, unknown>);

export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed';
  /** JSON of the items. */
  readonly output: readonly string[];
  readonly incompleteReason?: 'max_output_tokens' | 'content_filter' | undefined;
  readonly error?: ResponseError | undefined;
  readonly usage?: BilledUsage | undefined;
  readonly completedAtMs?: number | undefined;
}

/** Returns a response as JSON. @param members of the request */
export function responseJson(
  { requestId, model, createdAtMs }: ReplyIdentity,
  members: string,
  { status, output, incompleteReason, error, usage, completedAtMs }: ResponseState,
): string {
  const head = JSON.stringify({
    id: responseId(requestId),
    object: 'response',
    created_at: Math.floor(createdAtMs / 1_000),
    completed_at: completedAtMs === undefined ? null : Math.floor(completedAtMs / 1_000),
    status,
    error: error ?? null,
    incomplete_details: incompleteReason ? { reason: incompleteReason } : null,
    model,
  }).slice(0, -1);
  const used = usage ? `,"usage":${JSON.stringify(writeUsage(usage))}` : '';
  return `${head},${members},"output":[${output.join(',')}]${used}}`;
}

/** In this format the input includes cache reads and writes, and the output includes reasoning. */
export function writeUsage(usage: BilledUsage): object {
  const cacheWrite = cacheWritesOf(usage);
  const input = inputTokensOf(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cache_read, cache_write_tokens: cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
    cost: exactUsd(usage.costNano),
  };
}
