import { listOf, membersOf, textOf } from '@gateway/upstream';
import type { AssistantPart, Signature } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import { objectJson } from '../../json/exact-json';
import { readStopReason, readStopSequence } from './stop-reason';

/** Returns whether a complete reply is one of Converse. */
export function isConverseReply({ output, stopReason }: Record<string, unknown>): boolean {
  return Array.isArray(messageOf(output).content) && typeof stopReason === 'string';
}

/**
 * Reads a reply of Converse. Blocks of other kinds, such as images, are ignored.
 * @throws Error when the reply failed, or is none of Converse
 */
export function readConverse(reply: Record<string, unknown>): Reply {
  if (!isConverseReply(reply)) throw new Error('reply is not one of Converse');
  const parts = listOf(messageOf(reply.output).content).flatMap((block) => readBlock(membersOf(block)));
  const calls = parts.filter(({ kind }) => kind === 'tool_call').length;
  const stopSequence = readStopSequence(reply.additionalModelResponseFields);
  return {
    parts,
    stop: readStopReason(textOf(reply.stopReason), calls),
    ...(stopSequence !== undefined && { stopSequence }),
  };
}

export const ownSignature = (value: string): Signature => ({ wire: 'bedrock', value });

/** @throws Error when the call has no id or name */
export function readToolUse({ toolUseId, name }: Record<string, unknown>): { id: string; name: string } {
  if (textOf(toolUseId) === '' || textOf(name) === '') throw new Error('toolUse without id or name');
  return { id: textOf(toolUseId), name: textOf(name) };
}

function messageOf(output: unknown): Record<string, unknown> {
  return membersOf(membersOf(output).message);
}

function readBlock({ text, reasoningContent, toolUse }: Record<string, unknown>): AssistantPart[] {
  if (typeof text === 'string') return text === '' ? [] : [{ kind: 'text', text, cache: undefined }];
  if (reasoningContent) return readReasoning(membersOf(reasoningContent));
  if (!toolUse) return [];
  const called = membersOf(toolUse);
  const { id, name } = readToolUse(called);
  const input = objectJson(called.input);
  return [{ kind: 'tool_call', id, name, arguments: input, signature: undefined, cache: undefined }];
}

function readReasoning({ reasoningText, redactedContent }: Record<string, unknown>): AssistantPart[] {
  const redacted = textOf(redactedContent);
  if (redacted !== '') return [{ kind: 'redacted_thinking', data: ownSignature(redacted) }];
  const { text: value, signature: signed } = membersOf(reasoningText);
  const [text, signature] = [textOf(value), textOf(signed)];
  if (signature !== '') return [{ kind: 'thinking', text, signature: ownSignature(signature) }];
  return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
}
