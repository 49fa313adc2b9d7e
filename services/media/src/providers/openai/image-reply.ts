import { isObject, type JsonObject, listOf, membersOf, textOf, tokenFigure } from '@gateway/upstream';
import type { GeneratedImage, ImageOrder, ImageResult, ImageTokens } from '../../images/rules/image-provider';
import { brokenReply } from '../refusal';

/** Reads replies of the gpt-image family; others with this format may return links. @throws UpstreamError `broken` */
export function readImageReply(value: unknown, order: ImageOrder): ImageResult {
  const reply = membersOf(value);
  if (!Array.isArray(reply.data)) throw brokenReply('reply without images');
  const mime = `image/${textOf(reply.output_format) || order.format || 'png'}`;
  const images = listOf(reply.data).map((image) => readImage(membersOf(image), mime));
  const tokens = readUsage(reply.usage, order.images.length > 0);
  const revised = textOf(membersOf(reply.data[0]).revised_prompt);
  return { images, ...(tokens && { tokens }), ...(revised && { revisedPrompt: revised }) };
}

function readImage({ b64_json, url }: JsonObject, mime: string): GeneratedImage {
  const base64 = textOf(b64_json);
  if (base64 !== '') return { mime, base64 };
  if (textOf(url) === '') throw brokenReply('an image without data');
  return { mime, url: textOf(url) };
}

/** Tokens without details count as the more expensive kind. Undefined without a plausible figure. */
function readUsage(usage: unknown, hasImages: boolean): ImageTokens | undefined {
  if (!isObject(usage)) return undefined;
  const input = tokenFigure(usage.input_tokens);
  const output = tokenFigure(usage.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  const words = tokenFigure(membersOf(usage.output_tokens_details).text_tokens) ?? 0;
  const textOutput = Math.min(words, output);
  const made = { output: output - textOutput, ...(textOutput > 0 && { textOutput }) };
  if (!hasImages) return { textInput: input, imageInput: 0, ...made };
  const text = tokenFigure(membersOf(usage.input_tokens_details).text_tokens) ?? 0;
  const textInput = Math.min(text, input);
  return { textInput, imageInput: input - textInput, ...made };
}
