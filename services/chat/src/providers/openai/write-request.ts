import { createHash } from 'node:crypto';
import { membersOf } from '@gateway/upstream';
import { allowedTools } from '../../domain/allowed-tools';
import { ANY_TOOL } from '../../domain/any-tool';
import type { Conversation, Effort, OutputShape, Tool, ToolChoice } from '../../domain/conversation';
import { effortOf } from '../../domain/effort';
import { writeMembers } from '../../json/write-members';
import type { OpenAiQuirks, ThinkingSwitch } from './quirks';
import { isStrictSchema, objectSchema } from './strict-schema';
import { writeMessages } from './write-messages';

/** A capability of the catalog: the model reasons before it answers. */
export const REASONING = 'reasoning';
/**
 * A capability of the catalog: on this endpoint the model accepts function tools or an effort, not both. OpenAI's documented
 * behavior since GPT-5.4: openai/openai-openapi#541.
 */
export const EFFORT_EXCLUDES_TOOLS = 'effort_excludes_tools';
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
  const body: Record<string, unknown> = {
    model: upstreamModel,
    messages: writeMessages(conversation, replayQuirks(quirks, capabilities)),
    [quirks.maxTokensField]: maxOutputTokens,
    ...writeEffort(effort, quirks),
    ...writeTools(conversation, quirks),
    ...writeOutput(conversation.output),
    ...writeSampling(conversation, quirks),
    ...(conversation.endUser &&
      quirks.endUserField && { [quirks.endUserField]: fitEndUser(conversation.endUser) }),
    stream: conversation.stream || undefined,
    stream_options: conversation.stream && quirks.asksForUsage ? { include_usage: true } : undefined,
  };
  // Undefined members are not written.
  for (const field of refusedHints(quirks, capabilities, effort)) body[field] = undefined;
  return Buffer.from(writeMembers(body));
}

/** Forms of earlier thinking that models without reasoning refuse, or would take for text. */
const ONLY_FOR_REASONING: ReadonlySet<unknown> = new Set(['reasoning', 'think_tags', 'thinking_parts']);

/**
 * Returns the quirks for a model. Groq answers "reasoning is not supported with this model" (vercel/ai#8057), so its field is
 * removed from the history of other models.
 */
export function replayQuirks(quirks: OpenAiQuirks, capabilities: ReadonlySet<string>): OpenAiQuirks {
  const { reasoningReplay, ...others } = quirks;
  if (!ONLY_FOR_REASONING.has(reasoningReplay) || capabilities.has(REASONING)) return quirks;
  if (reasoningReplay !== 'reasoning') return others;
  return { ...others, unsupportedFields: [...others.unsupportedFields, reasoningReplay] };
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

/** An effort is sent as such, or switches thinking on or off if the provider does not accept it. */
export function writeEffort(
  effort: Effort | undefined,
  { thinkingSwitch, refusedHints: refused }: OpenAiQuirks,
): Readonly<Record<string, unknown>> {
  if (effort === undefined) return {};
  const isAccepted = !refused.includes('reasoning_effort');
  if (thinkingSwitch && (effort === 'none' || !isAccepted)) {
    return { [thinkingSwitch]: switchTo(effort !== 'none', thinkingSwitch) };
  }
  return isAccepted ? { reasoning_effort: effort } : {};
}

function switchTo(on: boolean, field: ThinkingSwitch): unknown {
  switch (field) {
    case 'thinking':
      return { type: on ? 'enabled' : 'disabled' };
    case 'enable_thinking':
      return on;
    case 'reasoning':
      return { enabled: on };
    case 'chat_template_kwargs':
      return { enable_thinking: on };
  }
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
  if (choice.kind === 'tool') return { tool_choice: fitToolChoice(functionNamed(choice.name), quirks) };
  if (choice.kind !== 'allowed') return { tool_choice: fitToolChoice(choice.kind, quirks) };
  const mode = choice.required ? 'required' : 'auto';
  if (!quirks.allowsTools) return { tool_choice: fitToolChoice(mode, quirks) };
  const allowed = { mode, tools: choice.names.map(functionNamed) };
  return { tool_choice: { type: 'allowed_tools', allowed_tools: allowed } };
}

/** Returns a caller's tool choice in the words of the provider; the same if the provider knows it. */
export function fitToolChoice(
  choice: unknown,
  { namedToolChoice, requiredToolChoice }: OpenAiQuirks,
): unknown {
  if (choice === ANY_TOOL) return requiredToolChoice ?? 'required';
  const isNamed = membersOf(choice).type === 'function';
  const fitted = (isNamed && namedToolChoice) || choice;
  return fitted === 'required' ? (requiredToolChoice ?? fitted) : fitted;
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

function writeSampling({ sampling }: Conversation, quirks: OpenAiQuirks): object {
  const { temperature, topP, presencePenalty, frequencyPenalty } = sampling;
  return {
    temperature: temperature && Math.min(temperature, quirks.maxTemperature ?? temperature),
    top_p: topP,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    top_k: quirks.ownFields.includes('top_k') ? sampling.topK : undefined,
    [quirks.seedField]: sampling.seed,
    stop: sampling.stop.length > 0 ? sampling.stop : undefined,
  };
}

/**
 * Returns top-level fields that are not sent: hints that many clients send to any model and that would make the provider refuse
 * the call, and what its operator dropped.
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
