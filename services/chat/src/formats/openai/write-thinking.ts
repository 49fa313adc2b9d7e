import type { RedactedThinkingPart, Signature, ThinkingPart } from '../../domain/conversation';
import { tagSignature } from '../../domain/signature-tag';

export type Thought = ThinkingPart | RedactedThinkingPart;

/**
 * Returns `reasoning_details`, OpenRouter's extension, which clients send back unchanged. Undefined if no thought is signed:
 * then they need not be sent back, and `reasoning_content` has their text.
 */
export function writeThoughts(thoughts: readonly Thought[]): object[] | undefined {
  const isSigned = (part: Thought) => part.kind === 'redacted_thinking' || part.signature !== undefined;
  return thoughts.some(isSigned) ? thoughts.map(writeThought) : undefined;
}

function writeThought(part: Thought, index: number): object {
  if (part.kind === 'redacted_thinking')
    return { type: 'reasoning.encrypted', data: plain(part.data), index };
  return {
    type: 'reasoning.text',
    text: part.text,
    ...(part.signature && { signature: plain(part.signature) }),
    index,
  };
}

/**
 * Returns the signature of a tool call as Google's OpenAI-compatible endpoint does (ai.google.dev, "Thought signatures"):
 * clients know the field and send it back.
 */
export function writeCallSignature(signature: Signature): object {
  return { extra_content: { google: { thought_signature: tagSignature(signature) } } };
}

function plain(signature: Signature): string {
  return signature.wire === 'openai' ? signature.value : tagSignature(signature);
}
