import type { Conversation, OutputShape, Sampling } from '../../domain/conversation';
import { writeMembers } from '../../json/write-members';
import { isBlank } from '../anthropic/blank-texts';
import { limitBreakpoints } from '../anthropic/cache-breakpoints';
import { fitSchema } from '../anthropic/fit-schema';
import type { MessagesBody, WireTool, WireToolChoice } from '../anthropic/messages-body';
import { withoutOpenThoughts, writeMessages } from '../anthropic/write-messages';
import { jsonInstruction, writeSystem } from '../anthropic/write-system';
import { thinkingRules, writeSampling } from '../anthropic/write-thinking';
import { forcesTool, writeTools } from '../anthropic/write-tools';
import { ContentWriter } from './content-writer';
import type { ConverseBody, InferenceConfig, OutputConfig, ToolConfig } from './converse-body';
import { type ModelFamily, modelFamily } from './model-family';
import { readableTurns } from './readable-turns';
import { type WrittenReasoning, writeReasoning } from './write-reasoning';

/** The maximum of Converse, which some models exceed in their own APIs. */
const MAX_TEMPERATURE = 1;

/**
 * Writes the body of Converse. Its rules are those of Anthropic's messages, as which the conversation is written first: roles
 * alternate, the user is first, texts are not blank, and every tool call is answered at once. Omitted as hints: penalties, the
 * seed, the end user's id, strict tools (refused by some models) and the setting against parallel calls.
 * @throws GatewayError `invalid_request` for anything that Converse lacks and the caller would miss
 */
export function writeConverseRequest(
  conversation: Conversation,
  upstreamModel: string,
  maxOutputTokens: number,
  capabilities: ReadonlySet<string>,
): Buffer {
  const family = modelFamily(upstreamModel, capabilities);
  const output = writeOutput(conversation.output, capabilities.has('json_schema'));
  const tools = offeredTools(conversation);
  const isContinued = family === 'claude' && !capabilities.has('adaptive_thinking') && !output.config;
  const turns = readableTurns(conversation.turns, family, tools !== undefined);
  const written = writeMessages(turns, isContinued);
  const reasoning = writeReasoning(conversation.reasoning, family, capabilities, {
    maxOutputTokens,
    forcesTool: forcesTool(conversation),
    messages: written,
  });
  const draft: FunctionsBody = {
    model: upstreamModel,
    max_tokens: maxOutputTokens,
    stream: conversation.stream,
    tools: tools?.list,
    system: writeSystem(conversation, output.instruction),
    messages: family === 'claude' && !reasoning.thinks ? withoutOpenThoughts(written) : written,
  };
  limitBreakpoints(draft);
  const sampling = samplingOf(conversation.sampling, family, capabilities, reasoning);
  return Buffer.from(
    writeMembers({
      ...toConverse(draft, tools?.choice, family),
      inferenceConfig: { maxTokens: maxOutputTokens, ...sampling.config },
      outputConfig: output.config,
      additionalModelRequestFields: nonEmpty({ ...reasoning.fields, ...sampling.fields }),
      additionalModelResponseFieldPaths: stopSequencePaths(family, sampling.config, conversation.stream),
    } satisfies ConverseBody),
  );
}

/** Bedrock has no tools of Anthropic's. */
type FunctionsBody = MessagesBody & { readonly tools?: readonly WireTool[] | undefined };

interface OfferedTools {
  readonly list: readonly WireTool[];
  readonly choice: WireToolChoice | undefined;
}

/** Converse has no choice of `none`: then no tools are offered. */
function offeredTools(conversation: Conversation): OfferedTools | undefined {
  const { tools: list, tool_choice: choice } = writeTools(conversation, false);
  return list && choice?.type !== 'none' ? { list, choice } : undefined;
}

interface WrittenOutput {
  readonly config?: OutputConfig;
  /** For models without structured output. */
  readonly instruction?: string;
}

function writeOutput(output: OutputShape, compiles: boolean): WrittenOutput {
  if (output.kind !== 'schema') return output.kind === 'json' ? { instruction: jsonInstruction() } : {};
  const { name, description } = output;
  const fitted = compiles ? fitSchema(output.schema) : undefined;
  if (!fitted)
    return { instruction: jsonInstruction({ ...(description && { description }), ...output.schema }) };
  const jsonSchema = { name, description: description || undefined, schema: JSON.stringify(fitted) };
  return { config: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

function toConverse(
  { tools = [], system = [], messages }: FunctionsBody,
  choice: WireToolChoice | undefined,
  family: ModelFamily,
): Pick<ConverseBody, 'system' | 'messages' | 'toolConfig'> {
  const writer = new ContentWriter(family);
  const instructions = system.flatMap((block) => [{ text: block.text }, ...writer.cachePointAfter(block)]);
  return {
    system: instructions.length > 0 ? instructions : undefined,
    messages: messages.map((message) => writer.writeMessage(message)),
    toolConfig: tools.length > 0 ? toolConfig(tools, choice, family) : undefined,
  };
}

function toolConfig(
  tools: readonly WireTool[],
  choice: WireToolChoice | undefined,
  family: ModelFamily,
): ToolConfig {
  return {
    tools: tools.flatMap(({ name, description, input_schema: json, cache_control: mark }) => [
      { toolSpec: { name, description: description || undefined, inputSchema: { json } } },
      // Nova has no cache points among its tools.
      ...(mark && family === 'claude' ? [{ cachePoint: { type: 'default', ttl: mark.ttl } } as const] : []),
    ]),
    toolChoice: writeChoice(choice),
  };
}

/** Undefined for the default, which lets the model choose. */
function writeChoice(choice: WireToolChoice | undefined): ToolConfig['toolChoice'] {
  if (choice?.type === 'any') return { any: {} };
  return choice?.type === 'tool' ? { tool: { name: choice.name } } : undefined;
}

interface WrittenSampling {
  readonly config: Omit<InferenceConfig, 'maxTokens'>;
  /** Members of `additionalModelRequestFields`. */
  readonly fields: object;
}

/** Sampling settings are hints: what the model lacks is omitted. Stop sequences are not; GPT's models refuse them. */
function samplingOf(
  sampling: Sampling,
  family: ModelFamily,
  capabilities: ReadonlySet<string>,
  { thinks }: WrittenReasoning,
): WrittenSampling {
  const stop = sampling.stop.filter((sequence) =>
    family === 'claude' ? !isBlank(sequence) : sequence !== '',
  );
  const stopSequences = stop.length > 0 ? stop : undefined;
  if (family === 'claude') {
    const written = writeSampling(sampling, thinkingRules(capabilities), thinks);
    const { temperature, top_p: topP, top_k: topK } = written;
    return {
      config: { temperature, topP, stopSequences },
      fields: topK === undefined ? {} : { top_k: topK },
    };
  }
  if (family === 'gpt') return { config: { stopSequences }, fields: {} };
  const { temperature, topP } = sampling;
  const clamped = temperature === undefined ? undefined : Math.min(MAX_TEMPERATURE, temperature);
  return { config: { temperature: clamped, topP, stopSequences }, fields: {} };
}

/** Claude's own reply names the stop sequence that was generated; a stream in its last delta. */
function stopSequencePaths(
  family: ModelFamily,
  { stopSequences }: WrittenSampling['config'],
  stream: boolean,
): readonly string[] | undefined {
  if (family !== 'claude' || !stopSequences) return undefined;
  return [stream ? '/delta/stop_sequence' : '/stop_sequence'];
}

function nonEmpty(fields: object): object | undefined {
  return Object.keys(fields).length > 0 ? fields : undefined;
}
