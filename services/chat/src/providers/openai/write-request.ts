import { createHash } from 'node:crypto';
import { allowedTools } from '../../domain/allowed-tools';
import type { Conversation, Effort, OutputShape, Tool, ToolChoice } from '../../domain/conversation';
import { effortOf } from '../../domain/effort';
import { writeMembers } from '../../json/write-members';
import type { OpenAiQuirks } from './quirks';
import { isStrictSchema, objectSchema } from './strict-schema';
import { writeMessages } from './write-messages';

/** A capability of the catalog: the model reasons before it answers. */
const REASONING = 'reasoning';
/**
 * A capability of the catalog: on this endpoint the model accepts function tools or an effort, not both. OpenAI's documented
 * behavior since GPT-5.4: openai/openai-openapi#541.
 */
const EFFORT_EXCLUDES_TOOLS = 'effort_excludes_tools';
/** OpenAI's limits. */
const MAX_END_USER_CHARS = 64;
const MAX_SCHEMA_NAME_CHARS = 64;

/**
 * Writes the body of a chat completion request.
 * @throws GatewayError `invalid_request` for anything that the provider lacks and the caller would miss
 */
export function writeRequest(
  conversation: Conversation,
  upstreamModel: string,
  maxOutputTokens: number,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
): Buffer {
  const effort = thinkingEffort(conversation, capabilities, quirks);
  const body = {
    model: upstreamModel,
    messages: writeMessages(conversation, replayQuirks(quirks, capabilities)),
    [quirks.maxTokensField]: maxOutputTokens,
    ...writeEffort(effort, quirks),
    ...writeTools(conversation, quirks),
    ...writeOutput(conversation.output),
    ...writeSampling(conversation, capabilities, quirks, effort),
    ...(conversation.endUser &&
      quirks.endUserField && { [quirks.endUserField]: fitEndUser(conversation.endUser) }),
    stream: conversation.stream || undefined,
    stream_options: conversation.stream && quirks.asksForUsage ? { include_usage: true } : undefined,
  };
  return Buffer.from(writeMembers(body));
}

/** Returns the quirks for a model: models without reasoning accept no `thinking` parts. */
export function replayQuirks(quirks: OpenAiQuirks, capabilities: ReadonlySet<string>): OpenAiQuirks {
  if (quirks.reasoningReplay !== 'thinking_parts' || capabilities.has(REASONING)) return quirks;
  const { reasoningReplay: _none, ...others } = quirks;
  return others;
}

/** Drops the effort if the model accepts only one of tools and effort: tools matter, thinking is a hint. */
function thinkingEffort(
  { reasoning, tools, toolChoice }: Conversation,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
): Effort | undefined {
  const effort = effortOf(reasoning, capabilities);
  if (tools.length === 0 || effort === 'none') return effort;
  const forced = toolChoice.kind !== 'auto' && toolChoice.kind !== 'none';
  if (forced && quirks.forcesToolsOnlyUnthinking) return 'none';
  return capabilities.has(EFFORT_EXCLUDES_TOOLS) ? undefined : effort;
}

export function writeEffort(effort: Effort | undefined, { thinkingSwitch }: OpenAiQuirks): object {
  if (effort === undefined) return {};
  return effort === 'none' && thinkingSwitch
    ? { thinking: { type: 'disabled' } }
    : { reasoning_effort: effort };
}

function writeTools({ tools, toolChoice, parallelToolCalls }: Conversation, quirks: OpenAiQuirks): object {
  const offered =
    toolChoice.kind === 'allowed' && !quirks.allowsTools ? allowedTools(tools, toolChoice.names) : tools;
  if (offered.length === 0) return {};
  return {
    tools: offered.map(writeTool),
    ...writeToolChoice(toolChoice, quirks),
    // Some models refuse the field; parallel calls are their default without it.
    parallel_tool_calls: parallelToolCalls === false ? false : undefined,
  };
}

function writeTool({ name, description, parameters, strict }: Tool): object {
  const schema = objectSchema(parameters);
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: schema,
      strict: strict && isStrictSchema(schema) ? true : undefined,
    },
  };
}

function writeToolChoice(choice: ToolChoice, quirks: OpenAiQuirks): object {
  if (choice.kind === 'auto') return {};
  if (choice.kind === 'tool') return { tool_choice: functionNamed(choice.name) };
  if (choice.kind !== 'allowed') return { tool_choice: choice.kind };
  const mode = choice.required ? 'required' : 'auto';
  if (!quirks.allowsTools) return { tool_choice: mode };
  const allowed = { mode, tools: choice.names.map(functionNamed) };
  return { tool_choice: { type: 'allowed_tools', allowed_tools: allowed } };
}

function functionNamed(name: string): object {
  return { type: 'function', function: { name } };
}

function writeOutput(output: OutputShape): object {
  if (output.kind !== 'schema') {
    return output.kind === 'json' ? { response_format: { type: 'json_object' } } : {};
  }
  const { name, description, schema, strict } = output;
  const json_schema = {
    name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_SCHEMA_NAME_CHARS) || 'output',
    description,
    schema,
    strict: strict !== false && isStrictSchema(schema),
  };
  return { response_format: { type: 'json_schema', json_schema } };
}

function writeSampling(
  { sampling }: Conversation,
  capabilities: ReadonlySet<string>,
  quirks: OpenAiQuirks,
  effort: Effort | undefined,
): object {
  const refused = refusedHints(quirks, capabilities, effort);
  const taken = (field: string, value: number | undefined) => (refused.has(field) ? undefined : value);
  // Undefined members are not written.
  return {
    temperature: taken('temperature', sampling.temperature),
    top_p: taken('top_p', sampling.topP),
    presence_penalty: taken('presence_penalty', sampling.presencePenalty),
    frequency_penalty: taken('frequency_penalty', sampling.frequencyPenalty),
    top_k: quirks.ownFields.includes('top_k') ? sampling.topK : undefined,
    [quirks.seedField]: sampling.seed,
    stop: sampling.stop.length > 0 ? sampling.stop : undefined,
  };
}

/**
 * Returns top-level fields that would make the provider refuse the call. They are hints that many clients send to any model.
 * @param effort as sent to the provider; undefined: the provider decides, so it may think
 */
export function refusedHints(
  quirks: OpenAiQuirks,
  capabilities: ReadonlySet<string>,
  effort: string | undefined,
): ReadonlySet<string> {
  const thinks = capabilities.has(REASONING) && effort !== 'none';
  return new Set([...quirks.refusedHints, ...(thinks ? quirks.notWhileThinking : [])]);
}

/** Some clients put whole descriptions here. */
function fitEndUser(id: string): string {
  return id.length <= MAX_END_USER_CHARS ? id : createHash('sha256').update(id).digest('hex');
}
