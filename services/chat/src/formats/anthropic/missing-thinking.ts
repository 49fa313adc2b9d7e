import { membersOf, textOf } from '@gateway/upstream';
import type { ContentBlock } from './content-block';
import type { Message, MessagesBody } from './messages-schema';

/** The parts of a call that determine whether the model thinks and which earlier thinking it receives. */
export type ThinkingCall = Pick<MessagesBody, 'messages' | 'thinking' | 'context_management'>;

/** Prefix of Anthropic's tool call ids, on all platforms that serve its models. */
const OWN_CALL = 'toolu_';
/** An edit that requires thinking: without thinking it is refused. */
const CLEARS_THINKING = 'clear_thinking_';

/**
 * With a thinking budget, Anthropic requires an unfinished turn of tool calls to begin with thinking, and refuses the call
 * otherwise. A turn that another model began can't have it: it is continued without thinking, and the next turn thinks again.
 * Returns undefined if the call needs no change, which includes a turn of Anthropic's whose thinking the caller has lost.
 * @param call without thinking of other providers
 */
export function withoutThinkingBudget({
  messages,
  thinking,
  context_management,
}: ThinkingCall): ThinkingCall | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  const start = openTurnStart(messages);
  if (start === undefined || !isFromOtherProvider(messages[start]!)) return undefined;
  const kept = messages.map((message, index) => (index < start ? message : withoutThinking(message)));
  return { messages: kept, ...withoutClearing(context_management) };
}

/** Returns the index of the assistant's first message since the last user message that is not only tool results. */
function openTurnStart(messages: readonly Message[]): number | undefined {
  let start: number | undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, content } = messages[at]!;
    if (role === 'system') continue;
    if (role === 'assistant') start = at;
    else if (!blocksOf(content).some(({ type }) => type === 'tool_result')) return start;
  }
  return start;
}

function isFromOtherProvider({ content }: Message): boolean {
  const blocks = blocksOf(content);
  if (blocks.length === 0 || isThinking(blocks[0]!)) return false;
  const calls = blocks.filter((block) => block.type === 'tool_use');
  return calls.length > 0 && !calls.some(({ id }) => id.startsWith(OWN_CALL));
}

function withoutThinking(message: Message): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  return { ...message, content: blocksOf(message.content).filter((block) => !isThinking(block)) };
}

function isThinking({ type }: ContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function blocksOf(content: Message['content']): readonly ContentBlock[] {
  return typeof content === 'string' || content === undefined ? [] : content;
}

function withoutClearing(
  management: ThinkingCall['context_management'],
): Pick<ThinkingCall, 'context_management'> {
  const edits: unknown = management?.edits;
  if (!Array.isArray(edits)) return { context_management: management };
  const kept = edits.filter((edit) => !textOf(membersOf(edit).type).startsWith(CLEARS_THINKING));
  return { context_management: kept.length === 0 ? undefined : { ...management, edits: kept } };
}
