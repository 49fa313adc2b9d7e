import { membersOf } from '@gateway/upstream';
import type { Conversation, OutputShape, Sampling } from '../../domain/conversation';
import { reasoningOf } from '../../domain/extension-fields';
import { MAX_WEB_SEARCHES } from '../../domain/upper-bound';
import { toLocation } from '../search-location';
import type { ChatCompletionBody } from './chat-schema';
import { refuseExcessArguments } from './excess-arguments';
import { readMessages } from './read-messages';
import { readToolChoice, readTools } from './read-tools';
import { refuseUntranslatable } from './untranslatable';

/**
 * Returns the request in the neutral format.
 * @param list name of the messages for error details
 * @throws GatewayError `invalid_request` for content that another format can't represent and the caller would miss, or that
 *   exceeds the bounds
 */
export function toConversation(body: ChatCompletionBody, list = 'messages'): Conversation {
  refuseUntranslatable(body);
  refuseExcessArguments(body.messages);
  const { system, turns } = readMessages(body.messages, list);
  const tools = readTools(body);
  return {
    system,
    turns,
    tools,
    webSearch: toWebSearch(body.web_search_options),
    toolChoice: readToolChoice(body, tools),
    parallelToolCalls: parallelCalls(body),
    output: readOutput(body.response_format),
    reasoning: reasoningOf(body),
    sampling: readSampling(body),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    endUser: endUserOf(body),
    stream: body.stream ?? false,
  };
}

/** How much of the pages the model sees is the provider's choice. */
function toWebSearch(options: ChatCompletionBody['web_search_options']): Conversation['webSearch'] {
  if (!options) return undefined;
  return {
    maxSearches: MAX_WEB_SEARCHES,
    allowedDomains: [],
    blockedDomains: [],
    location: toLocation(options.user_location?.approximate),
  };
}

function parallelCalls({
  functions,
  parallel_tool_calls: wanted,
}: ChatCompletionBody): Conversation['parallelToolCalls'] {
  // A legacy reply has one call only.
  return functions?.length ? false : (wanted ?? undefined);
}

function readOutput(format: ChatCompletionBody['response_format']): OutputShape {
  if (!format || format.type === 'text') return { kind: 'text' };
  const { name, description, schema, strict } = membersOf(format.json_schema);
  if (format.type === 'json_object' || typeof schema !== 'object' || schema === null) return { kind: 'json' };
  return {
    kind: 'schema',
    name: typeof name === 'string' ? name : 'output',
    description: typeof description === 'string' ? description : undefined,
    schema: schema as Record<string, unknown>,
    strict: typeof strict === 'boolean' ? strict : undefined,
  };
}

function readSampling(body: ChatCompletionBody): Sampling {
  const stop = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []);
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k != null && body.top_k > 0 ? body.top_k : undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    seed: body.seed ?? body.random_seed ?? undefined,
    stop: stop.filter((sequence) => sequence !== ''),
  };
}

/** `user` is the older name of `safety_identifier`. */
function endUserOf({ safety_identifier, user, metadata }: ChatCompletionBody): string | undefined {
  const labelled = metadata?.user_id;
  return safety_identifier || user || (typeof labelled === 'string' && labelled) || undefined;
}
