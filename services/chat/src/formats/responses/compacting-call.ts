import type { CallerRequest } from '../../domain/caller-request';
import type { Conversation } from '../../domain/conversation';
import { writeSummary } from '../../domain/summary-content';

const INSTRUCTION =
  'Summarize the conversation so far, so that another model can continue it from your summary and the messages of the user alone. ' +
  'Keep every fact, decision, constraint and preference that still matters, what was done and found, with exact names, paths, figures ' +
  'and code where they are needed, and what remains to be done. Do not answer the user and do not call tools: write only the summary.';
const HEADING = 'Summary of the conversation so far:\n\n';

/** Returns a call whose conversation is compacted: models whose providers do not do it themselves are asked for a summary. */
export const compactingCall = <Call extends CallerRequest>(call: Call): Call => ({
  ...call,
  compacts: true,
  size: { ...call.size, bodyBytes: call.size.bodyBytes + INSTRUCTION.length, hasFixedOutput: true },
  conversation: () => withInstruction(call.conversation()),
});

/** The tools stay, because without them caches would not find the prompt. */
const withInstruction = (conversation: Conversation): Conversation => ({
  ...conversation,
  webSearch: undefined,
  toolChoice: { kind: conversation.tools.length > 0 ? 'none' : 'auto' },
  output: { kind: 'text' },
  turns: [...conversation.turns, { role: 'user', parts: [{ kind: 'text', text: INSTRUCTION }] }],
});

/** Returns the item that stands for a summarized conversation. @throws Error for an empty summary */
export function compactionItem(id: string, summary: string): object {
  if (summary.trim() === '') throw new Error('reply has no summary');
  return { id, type: 'compaction', encrypted_content: writeSummary(HEADING + summary) };
}
