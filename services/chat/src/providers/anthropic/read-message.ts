import { membersOf, textOf } from '@gateway/upstream';
import type { AssistantPart, Signature, ThinkingPart, ToolCallPart } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import { fitToolId } from '../../domain/tool-ids';
import { objectJson } from '../../json/exact-json';
import { fromStopReason } from './stop-reason';

/** @throws Error when it is not a message */
export function readMessage(message: Record<string, unknown>): Reply {
  const { content, stop_reason: reason, stop_sequence: sequence } = message;
  if (!Array.isArray(content) || typeof reason !== 'string') throw new Error('reply is not a message');
  return {
    parts: content.map(readBlock).filter((part) => part !== undefined),
    stop: fromStopReason(reason),
    ...(typeof sequence === 'string' && { stopSequence: sequence }),
  };
}

export function ownSignature(value: string): Signature {
  return { wire: 'anthropic', value };
}

/** @throws Error when the block has no id or name */
export function readToolUse(block: Record<string, unknown>): { id: string; name: string } {
  const { id, name } = block;
  if (typeof id !== 'string' || typeof name !== 'string') throw new Error('tool_use without id or name');
  return { id: fitToolId(id), name };
}

/** Returns undefined for blocks that other formats can't represent. */
function readBlock(value: unknown): AssistantPart | undefined {
  const block = membersOf(value);
  if (block.type === 'text') {
    const text = textOf(block.text);
    return text === '' ? undefined : { kind: 'text', text, cache: undefined };
  }
  if (block.type === 'thinking') return readThinking(textOf(block.thinking), textOf(block.signature));
  if (block.type === 'redacted_thinking') {
    return { kind: 'redacted_thinking', data: ownSignature(textOf(block.data)) };
  }
  if (block.type === 'tool_use') return readCall(block);
  return undefined;
}

/** Without text if the provider does not return it: the signature alone continues the thought. */
function readThinking(text: string, signature: string): ThinkingPart | undefined {
  if (signature !== '') return { kind: 'thinking', text, signature: ownSignature(signature) };
  return text === '' ? undefined : { kind: 'thinking', text, signature: undefined };
}

function readCall(block: Record<string, unknown>): ToolCallPart {
  const { id, name } = readToolUse(block);
  const text = objectJson(block.input);
  return { kind: 'tool_call', id, name, arguments: text, signature: undefined, cache: undefined };
}
