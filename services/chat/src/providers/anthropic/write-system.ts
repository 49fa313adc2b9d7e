import { allInstructions } from '../../domain/all-instructions';
import type { Conversation, TextPart } from '../../domain/conversation';
import { withoutBlankTexts } from './blank-texts';
import type { TextBlock } from './messages-body';
import { textBlock, writeText } from './write-input';

const JSON_ONLY =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence.';

/**
 * Returns the instructions of a conversation and then `instruction`. Those from the middle of the conversation are appended to
 * the first ones: most models refuse them among the messages, and as user text they would lose their authority.
 */
export function writeSystem(conversation: Conversation, instruction: string | undefined): TextBlock[] {
  const all = withoutBlankTexts<TextPart>(allInstructions(conversation)).map(writeText);
  return instruction === undefined ? all : [...all, textBlock(instruction)];
}

/** Returns the instruction to answer with JSON, for a model without structured output. */
export const jsonInstruction = (schema?: object): string =>
  schema === undefined
    ? JSON_ONLY
    : `${JSON_ONLY} It is valid by this JSON schema:\n${JSON.stringify(schema)}`;
