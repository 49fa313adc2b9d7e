import { withoutBillingLine } from '../../domain/billing-line';
import type {
  Conversation,
  OutputShape,
  Reasoning,
  Sampling,
  TextPart,
  Turn,
} from '../../domain/conversation';
import { fromAssistantBlocks, fromSystemBlocks, fromUserBlocks, textPartsOf } from './from-blocks';
import type { Message, MessagesBody } from './messages-schema';
import { isEmptyTurn } from './request-check';
import { toTools } from './to-tools';
import { type OnUnsupported, refuseUnsupported } from './unsupported-content';
import { toWebSearch } from './web-search-tool';

/**
 * Returns the request in the neutral format. Dropped as hints: cache control of the whole request, service and diagnostics
 * settings, task budgets, context editing, and examples of a tool's input.
 * @param onUnsupported receives content that matters and that no other format can represent; refuses it, unless tokens are only
 *   counted
 * @throws GatewayError `invalid_request`
 */
export function toConversation(
  body: MessagesBody,
  onUnsupported: OnUnsupported = refuseUnsupported,
): Conversation {
  if (body.max_tokens === 0) onUnsupported('max_tokens 0, which only fills the prompt cache');
  const choice = body.tool_choice;
  return {
    system: toSystem(body.system),
    turns: toTurns(body.messages, onUnsupported),
    tools: toTools(body.tools ?? [], onUnsupported),
    webSearch: toWebSearch(body.tools ?? []),
    toolChoice: toToolChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use === true ? false : undefined,
    output: toOutput((body.output_config?.format ?? body.output_format)?.schema),
    reasoning: toReasoning(body),
    sampling: toSampling(body),
    maxOutputTokens: body.max_tokens || undefined,
    endUser: body.metadata?.user_id || undefined,
    stream: body.stream ?? false,
  };
}

/** Anthropic's own models get the caller's bytes. */
function toSystem(given: MessagesBody['system']): readonly TextPart[] {
  const system = withoutBillingLine(given) as MessagesBody['system'];
  return system ? textPartsOf(system) : [];
}

function toTurns(messages: readonly Message[], onUnsupported: OnUnsupported): Turn[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  return messages.flatMap((message, index): Turn[] => {
    if (message.role === 'user') return [fromUserBlocks(message.content ?? [], onUnsupported)];
    if (isEmptyTurn(message)) return [];
    if (message.role === 'assistant') return [fromAssistantBlocks(message.content ?? [], onUnsupported)];
    const cleared = message.clear_at === 'next_user_message' && index < lastUser;
    return cleared || !message.content ? [] : [fromSystemBlocks(message.content, onUnsupported)];
  });
}

function toSampling(body: MessagesBody): Sampling {
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    // 0 disables it.
    topK: body.top_k || undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    seed: undefined,
    stop: body.stop_sequences ?? [],
  };
}

function toOutput(schema: Readonly<Record<string, unknown>> | undefined): OutputShape {
  if (!schema) return { kind: 'text' };
  return { kind: 'schema', name: 'output', description: undefined, schema, strict: true };
}

function toToolChoice(choice: MessagesBody['tool_choice']): Conversation['toolChoice'] {
  switch (choice?.type) {
    case 'any':
      return { kind: 'required' };
    case 'tool':
      return { kind: 'tool', name: choice.name };
    case 'none':
      return { kind: 'none' };
    default:
      return { kind: 'auto' };
  }
}

function toReasoning({ thinking, output_config }: MessagesBody): Reasoning | undefined {
  const effort = output_config?.effort ?? undefined;
  switch (thinking?.type) {
    case 'disabled':
      return { effort: 'none' };
    case 'enabled':
      return { budgetTokens: thinking.budget_tokens, ...(effort && { effort }) };
    case 'adaptive':
    case 'between_tools':
      return { adaptive: true, ...(effort && { effort }) };
    default:
      return effort ? { effort } : undefined;
  }
}
