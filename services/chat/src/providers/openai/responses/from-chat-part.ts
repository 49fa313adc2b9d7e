import { type JsonObject, membersOf, textOf } from '@gateway/upstream';

/**
 * Returns a text or an image of a chat message as this format has it; undefined for any other part.
 * @param isOwn it is the assistant's
 */
export function fromChatPart(part: JsonObject, isOwn: boolean): JsonObject | undefined {
  if (part.type === 'text') return { type: isOwn ? 'output_text' : 'input_text', text: part.text };
  if (part.type !== 'image_url') return undefined;
  const { url, detail } = membersOf(part.image_url);
  return { type: 'input_image', image_url: url, detail: textOf(detail) || 'auto' };
}
