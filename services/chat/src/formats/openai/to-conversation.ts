import { membersOf } from '@gateway/upstream';
import type { Conversation, OutputShape, Sampling } from '../../domain/conversation';
import type { ChatCompletionBody } from './chat-schema';
import { readMessages } from './read-messages';
import { readToolChoice, readTools } from './read-tools';
import { refuseUntranslatable } from './untranslatable';

/**
 * A chat completion request in no provider's words.
 * @throws GatewayError `invalid_request` for what another format cannot carry and the caller would miss
 */
export function toConversation(body: ChatCompletionBody): Conversation {
  refuseUntranslatable(body);
  const { system, turns } = readMessages(body.messages);
  const tools = readTools(body);
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  const endUser = endUserOf(body);
  return {
    system,
    turns,
    tools,
    toolChoice: readToolChoice(body, tools),
    ...parallelCalls(body),
    output: readOutput(body.response_format),
    ...(body.reasoning_effort != null && { reasoning: { effort: body.reasoning_effort } }),
    sampling: readSampling(body),
    ...(maxOutputTokens != null && { maxOutputTokens }),
    ...(endUser !== undefined && { endUser }),
    stream: body.stream ?? false,
  };
}

function parallelCalls({
  functions,
  parallel_tool_calls: wanted,
}: ChatCompletionBody): Pick<Conversation, 'parallelToolCalls'> {
  // A legacy reply has room for one call.
  const parallel = functions?.length ? false : wanted;
  return parallel == null ? {} : { parallelToolCalls: parallel };
}

function readOutput(format: ChatCompletionBody['response_format']): OutputShape {
  if (!format || format.type === 'text') return { kind: 'text' };
  const { name, description, schema, strict } = membersOf(format.json_schema);
  if (format.type === 'json_object' || typeof schema !== 'object' || schema === null) return { kind: 'json' };
  return {
    kind: 'schema',
    name: typeof name === 'string' ? name : 'output',
    ...(typeof description === 'string' && { description }),
    schema: schema as Record<string, unknown>,
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function readSampling(body: ChatCompletionBody): Sampling {
  const stop = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []);
  return {
    ...(body.temperature != null && { temperature: body.temperature }),
    ...(body.top_p != null && { topP: body.top_p }),
    ...(body.presence_penalty != null && { presencePenalty: body.presence_penalty }),
    ...(body.frequency_penalty != null && { frequencyPenalty: body.frequency_penalty }),
    ...(body.seed != null && { seed: body.seed }),
    stop: stop.filter((sequence) => sequence !== ''),
  };
}

/** `user` is the older name of `safety_identifier`. */
function endUserOf({ safety_identifier, user, metadata }: ChatCompletionBody): string | undefined {
  const labelled = metadata?.user_id;
  return safety_identifier || user || (typeof labelled === 'string' && labelled) || undefined;
}
