import type { ReplyIdentity } from '../../domain/caller-request';
import type { Reply, ReplyPart } from '../../domain/reply';
import type { BilledUsage } from '../../domain/usage';
import { objectJson } from '../../json/exact-json';
import { writeCallSignature } from '../call-signature';
import { withoutEmptyThinking } from './empty-thinking';
import {
  messageHead,
  redactedThinkingBlock,
  searchBlock,
  searchInput,
  searchResultBlock,
  stopMembers,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  usageJson,
  writeSignature,
} from './message-json';

/** Writes a complete reply as a message. Built as text, so that large arguments are not parsed and serialized again. */
export function writeMessage(reply: Reply, usage: BilledUsage, identity: ReplyIdentity): Buffer {
  const content = withoutEmptyThinking(reply.parts.filter(isSaid)).flatMap(blocksOf).join(',');
  return Buffer.from(
    `${messageHead(identity)},"content":[${content}],${stopMembers(reply)},"usage":${usageJson(usage)}}`,
  );
}

/** Anthropic refuses an empty text when it is sent back. */
function isSaid(part: ReplyPart): boolean {
  return part.kind !== 'text' || part.text !== '';
}

function blocksOf(part: ReplyPart): string[] {
  switch (part.kind) {
    case 'text':
      return [textBlock(JSON.stringify(part.text), part.citations)];
    case 'web_search':
      return [searchBlock(part, searchInput(part)), searchResultBlock(part)];
    case 'thinking':
      return [thinkingBlock(JSON.stringify(part.text), writeSignature(part.signature))];
    case 'redacted_thinking':
      return [redactedThinkingBlock(part.data)];
    case 'tool_call': {
      const call = toolUseBlock(part.id, part.name, objectJson(part.arguments));
      if (!part.signature) return [call];
      return [thinkingBlock('""', writeCallSignature(part.signature)), call];
    }
  }
}
