import type { Conversation, Reasoning, TextPart, Turn } from '../../domain/conversation';
import { fromAssistantBlocks, fromSystemBlocks, fromUserBlocks, textPartsOf } from './from-blocks';
import type { Message, MessagesBody } from './messages-schema';
import { toTools } from './to-tools';
import { refuseUncarried, type Uncarried } from './uncarried';

/**
 * The request in no provider's words. Dropped as hints are cache control of the whole request, what is told of
 * service, diagnostics, task budgets and the clearing of the context, and examples of a tool's input.
 * @param uncarried what to do about what no other format can carry and matters: refuse, unless tokens are only
 *   counted
 * @throws GatewayError `invalid_request`
 */
export function toConversation(body: MessagesBody, uncarried: Uncarried = refuseUncarried): Conversation {
  if (body.max_tokens === 0) uncarried('max_tokens 0, which only fills the prompt cache');
  const choice = body.tool_choice;
  const oneCall = choice?.disable_parallel_tool_use === true;
  const reasoning = toReasoning(body);
  const schema = (body.output_config?.format ?? body.output_format)?.schema;
  return {
    system: toSystem(body.system),
    turns: toTurns(body.messages, uncarried),
    tools: toTools(body.tools ?? [], uncarried),
    toolChoice: toToolChoice(choice),
    ...(oneCall && { parallelToolCalls: false }),
    output: schema ? { kind: 'schema', name: 'output', schema, strict: true } : { kind: 'text' },
    ...(reasoning && { reasoning }),
    sampling: {
      ...(body.temperature != null && { temperature: body.temperature }),
      ...(body.top_p != null && { topP: body.top_p }),
      ...(body.top_k != null && { topK: body.top_k }),
      stop: body.stop_sequences ?? [],
    },
    ...(body.max_tokens && { maxOutputTokens: body.max_tokens }),
    ...(body.metadata?.user_id && { endUser: body.metadata.user_id }),
    stream: body.stream ?? false,
  };
}

function toSystem(system: MessagesBody['system']): readonly TextPart[] {
  if (!system) return [];
  return textPartsOf(system);
}

function toTurns(messages: readonly Message[], uncarried: Uncarried): Turn[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  return messages.flatMap((message, index): Turn[] => {
    if (message.role === 'user') return [fromUserBlocks(message.content ?? [], uncarried)];
    if (message.role === 'assistant') return [fromAssistantBlocks(message.content ?? [], uncarried)];
    const cleared = message.clear_at === 'next_user_message' && index < lastUser;
    return cleared || !message.content ? [] : [fromSystemBlocks(message.content, uncarried)];
  });
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
