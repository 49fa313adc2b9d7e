import { isTagged } from '../../domain/signature-tag';
import type { ContentBlock } from './content-block';
import type { Message } from './messages-schema';

/** Returns whether Anthropic would refuse the block: thinking of another provider, or without a signature. */
export function isRefusedThinking(block: ContentBlock): boolean {
  if (block.type === 'thinking') return !block.signature || isTagged(block.signature);
  return block.type === 'redacted_thinking' && isTagged(block.data);
}

/** Returns the messages without such blocks. A message that holds nothing else is removed. */
export function withoutRefusedThinking(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const message of messages) {
    if (!Array.isArray(message.content)) {
      kept.push(message);
      continue;
    }
    const content = message.content.filter((block: ContentBlock) => !isRefusedThinking(block));
    if (content.length > 0) kept.push({ ...message, content });
  }
  return kept;
}
