import type fc from 'fast-check';
import type { Conversation, Turn } from '../../domain/conversation';
import { anyConversation } from '../../domain/conversation.fixture';

/** An empty conversation, for tests to add content to. */
export function conversationOf(fields: Partial<Conversation>): Conversation {
  return {
    system: [],
    turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
    tools: [],
    toolChoice: { kind: 'auto' },
    output: { kind: 'text' },
    sampling: { stop: [] },
    stream: false,
    ...fields,
  };
}

/** Any conversation whose results belong to calls; results come in any order, and some are missing. */
export const answeringConversation: fc.Arbitrary<Conversation> = anyConversation.map((conversation) => ({
  ...conversation,
  turns: withoutLostResults(conversation.turns),
}));

function withoutLostResults(turns: readonly Turn[]): Turn[] {
  let open: string[] = [];
  let answering = false;
  return turns.map((turn) => {
    if (turn.role === 'system') return turn;
    if (turn.role === 'assistant') {
      if (answering) open = [];
      answering = false;
      open.push(...turn.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id] : [])));
      return turn;
    }
    answering = true;
    const parts = turn.parts.filter((part) => {
      if (part.kind !== 'tool_result') return true;
      const at = open.indexOf(part.callId);
      if (at !== -1) open.splice(at, 1);
      return at !== -1;
    });
    return { role: 'user', parts };
  });
}
