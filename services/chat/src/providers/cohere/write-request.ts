import { GatewayError } from '@gateway/errors';
import { listOf } from '@gateway/upstream';
import { allowedTools } from '../../domain/allowed-tools';
import type { Conversation, Effort, Reasoning, Sampling, Tool, ToolChoice } from '../../domain/conversation';
import { writeMembers } from '../../json/write-members';
import { objectSchema } from '../openai/strict-schema';
import { writeChatMessages } from './write-messages';

/** A capability of the catalog; other models refuse `thinking`. */
const REASONING = 'reasoning';
const MAX_STOP_SEQUENCES = 5;
const MAX_TOP_K = 500;
const MIN_TOP_P = 0.01;
const MAX_TOP_P = 0.99;
/** Those of `effortOfBudget`; absent: no limit. */
const BUDGET_OF_EFFORT: Partial<Record<Effort, number>> = { minimal: 1_024, low: 1_024, medium: 8_192 };

/**
 * Writes the body of `/v2/chat` (docs.cohere.com/reference/chat). Omitted as hints: cache points (the cache is implicit), the end
 * user's id, and whether tools may be called in parallel. Sampling parameters are brought into Cohere's ranges.
 * @throws GatewayError `invalid_request` for anything that Cohere lacks and the caller would miss
 */
export function writeChatRequest(
  conversation: Conversation,
  upstreamModel: string,
  maxOutputTokens: number,
  capabilities: ReadonlySet<string>,
): Buffer {
  const reasons = capabilities.has(REASONING);
  return Buffer.from(
    writeMembers({
      model: upstreamModel,
      messages: writeChatMessages(conversation, reasons),
      max_tokens: maxOutputTokens,
      ...writeTools(conversation),
      ...writeOutput(conversation),
      ...writeSampling(conversation.sampling),
      thinking: reasons ? writeThinking(conversation.reasoning, maxOutputTokens) : undefined,
      stream: conversation.stream || undefined,
    }),
  );
}

function writeTools({ tools, toolChoice, output }: Conversation): object {
  if (toolChoice.kind === 'none' && output.kind !== 'text') return {};
  const names = namesOf(toolChoice);
  const offered = names ? allowedTools(tools, names) : tools;
  if (offered.length === 0) return {};
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: objectSchema(parameters) },
    })),
    // For all tools or for none. Each must require a parameter (docs.cohere.com, tool use, "strict_tools").
    strict_tools: offered.every(isStrict) ? true : undefined,
    tool_choice: writeToolChoice(toolChoice),
  };
}

const isStrict = ({ strict, parameters }: Tool): boolean =>
  strict === true && listOf(parameters.required).length > 0;

/** Cohere can't force a call by name, so only the tools that may be called are offered. */
function namesOf(choice: ToolChoice): readonly string[] | undefined {
  if (choice.kind === 'tool') return [choice.name];
  return choice.kind === 'allowed' ? choice.names : undefined;
}

function writeToolChoice(choice: ToolChoice): 'REQUIRED' | 'NONE' | undefined {
  if (choice.kind === 'none') return 'NONE';
  const isForced = choice.kind === 'required' || choice.kind === 'tool';
  return isForced || (choice.kind === 'allowed' && choice.required) ? 'REQUIRED' : undefined;
}

function writeOutput({ output, tools, toolChoice }: Conversation): object {
  if (output.kind === 'text') return {};
  if (tools.length > 0 && toolChoice.kind !== 'none') {
    throw refused('this model does not support JSON output together with tools');
  }
  const json_schema = output.kind === 'schema' ? output.schema : undefined;
  return { response_format: { type: 'json_object', json_schema } };
}

function writeSampling({ stop, temperature, topP, topK, seed, ...penalties }: Sampling): object {
  const sequences = stop.filter((sequence) => sequence !== '');
  if (sequences.length > MAX_STOP_SEQUENCES) {
    throw refused(`this model takes at most ${MAX_STOP_SEQUENCES} stop sequences`);
  }
  const frequency = within(penalties.frequencyPenalty, 0, 1) ?? 0;
  const presence = within(penalties.presencePenalty, 0, 1) ?? 0;
  return {
    temperature,
    p: within(topP, MIN_TOP_P, MAX_TOP_P),
    // Values below 1 disable it.
    k: within(topK, 0, MAX_TOP_K),
    seed: seed !== undefined && seed >= 0 ? seed : undefined,
    // It refuses both together (docs.cohere.com, errors), and zero is none.
    ...(frequency > 0
      ? { frequency_penalty: frequency }
      : { presence_penalty: presence > 0 ? presence : undefined }),
    stop_sequences: sequences.length > 0 ? sequences : undefined,
  };
}

const within = (value: number | undefined, least: number, most: number): number | undefined =>
  value === undefined ? undefined : Math.min(most, Math.max(least, value));

/** Undefined: the model decides. */
function writeThinking(reasoning: Reasoning | undefined, maxOutputTokens: number): object | undefined {
  if (!reasoning) return undefined;
  const { effort, budgetTokens } = reasoning;
  if (effort === 'none' || budgetTokens === 0) return { type: 'disabled' };
  const budget = budgetTokens ?? (effort && BUDGET_OF_EFFORT[effort]);
  // Otherwise thinking could use up all output, billed without an answer.
  const most = Math.max(1, Math.floor(maxOutputTokens / 2));
  return { type: 'enabled', token_budget: budget === undefined ? undefined : Math.min(budget, most) };
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
