import type { ToolCallPart, ToolResultPart } from '../../domain/conversation';
import { joinTexts } from '../../domain/join-texts';
import { fitToolId } from '../../domain/tool-ids';
import type { GeminiBlob, GeminiPart } from './gemini-content';
import type { GeminiModel } from './gemini-model';
import { writeMedia } from './write-media';

/** Types that Gemini 3 accepts inside a function response (ai.google.dev/gemini-api/docs/function-calling). */
const NESTED_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf']);

export interface WrittenResult {
  readonly response: GeminiPart;
  /** Media that the response can't hold, to be sent as user content after it. */
  readonly media: readonly GeminiPart[];
}

/** @param result undefined if the history has none: Gemini requires one for every call */
export function writeToolResult(
  call: ToolCallPart,
  result: ToolResultPart | undefined,
  model: GeminiModel,
): WrittenResult {
  const texts: string[] = [];
  const nested: { inlineData: GeminiBlob }[] = [];
  const media: GeminiPart[] = [];
  for (const part of result?.parts ?? []) {
    const written = part.kind === 'text' ? { text: part.text } : writeMedia(part);
    const { text, inlineData } = written;
    if (text !== undefined) texts.push(text);
    else if (inlineData && model.mediaInResponses && NESTED_TYPES.has(inlineData.mimeType)) {
      nested.push({ inlineData });
    } else media.push(written);
  }
  const text = result ? joinTexts(texts, '\n') : 'The call was not answered.';
  return {
    response: {
      functionResponse: {
        id: fitToolId(call.id),
        name: call.name,
        response: !result || result.isError ? { error: text } : { output: text },
        parts: nested.length > 0 ? nested : undefined,
      },
    },
    media: media.length > 0 ? [{ text: `From the result of ${call.name}:` }, ...media] : [],
  };
}
