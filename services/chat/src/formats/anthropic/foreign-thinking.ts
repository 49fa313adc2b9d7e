import { isTagged } from '../../domain/signature-tag';
import type { ContentBlock } from './content-block';
import type { Message } from './messages-schema';

/** Thinking that Anthropic would refuse: another provider's, or unsigned. */
export function isForeignThinking(block: ContentBlock): boolean {
  if (block.type === 'thinking') return !block.signature || isTagged(block.signature);
  return block.type === 'redacted_thinking' && isTagged(block.data);
}

/** The conversation as Anthropic takes it. A message that holds nothing else goes with its thinking. */
export function withoutForeignThinking(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const message of messages) {
    if (!Array.isArray(message.content)) {
      kept.push(message);
      continue;
    }
    const content = message.content.filter((block: ContentBlock) => !isForeignThinking(block));
    if (content.length > 0) kept.push({ ...message, content });
  }
  return kept;
}
