import { isObject, listOf, membersOf, textOf, tokenFigure } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import type { GeneratedImage, ImageResult, ImageTokens } from '../../images/rules/image-provider';
import { brokenReply } from '../refusal';

/** Finish reasons for refusals by policy (ai.google.dev/api/generate-content, FinishReason). */
const POLICY = new Set([
  'BLOCKLIST',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_SAFETY',
  'PROHIBITED_CONTENT',
  'RECITATION',
  'SAFETY',
  'SPII',
]);

/**
 * Reads a reply of status 200, which may have no image and still cost its prompt.
 * @param n number of images to keep: a prompt may request more than were ordered and paid for
 * @throws MediaRefused with what it charges; UpstreamError `broken`
 */
export function readImageReply(value: unknown, n: number): ImageResult {
  const reply = membersOf(value);
  const tokens = readUsage(reply.usageMetadata);
  const { blockReason } = membersOf(reply.promptFeedback);
  if (textOf(blockReason) !== '') throw refused(tokens);
  if (!Array.isArray(reply.candidates)) throw brokenReply('reply without candidates');
  const candidates = reply.candidates.map(membersOf);
  const images = candidates.flatMap(({ content }) => listOf(membersOf(content).parts).flatMap(readPart));
  if (images.length === 0 && candidates.some(({ finishReason }) => POLICY.has(textOf(finishReason)))) {
    throw refused(tokens);
  }
  return { images: images.slice(0, n), ...(tokens && { tokens }) };
}

function refused(tokens: ImageTokens | undefined): MediaRefused {
  return new MediaRefused('refused by the provider’s content policy', tokens);
}

/** Drafts shown while it thinks are not results. */
function readPart(value: unknown): GeneratedImage[] {
  const part = membersOf(value);
  const { mimeType, data } = membersOf(part.inlineData);
  const mime = textOf(mimeType);
  const base64 = textOf(data);
  return part.thought === true || !mime.startsWith('image/') || base64 === '' ? [] : [{ mime, base64 }];
}

/**
 * Zeros are omitted. Tokens reported as image output are images, all others text; without such details everything not reported as
 * text counts as images, which are more expensive. Undefined without a plausible figure.
 */
function readUsage(value: unknown): ImageTokens | undefined {
  if (!isObject(value)) return undefined;
  const input = tokenFigure(value.promptTokenCount ?? 0);
  const answer = tokenFigure(value.candidatesTokenCount ?? 0);
  const thoughts = tokenFigure(value.thoughtsTokenCount ?? 0);
  if (input === undefined || answer === undefined || thoughts === undefined) return undefined;
  const imageInput = Math.min(input, ofModality(value.promptTokensDetails, 'IMAGE'));
  const reported = ofModality(value.candidatesTokensDetails, 'IMAGE');
  const output = Math.min(
    answer,
    reported > 0 ? reported : answer - Math.min(answer, ofModality(value.candidatesTokensDetails, 'TEXT')),
  );
  const textOutput = answer - output + thoughts;
  return {
    textInput: input - imageInput,
    imageInput,
    output,
    ...(textOutput > 0 && { textOutput }),
  };
}

function ofModality(details: unknown, modality: string): number {
  return listOf(details)
    .map(membersOf)
    .filter((detail) => detail.modality === modality)
    .reduce((sum, { tokenCount }) => sum + (tokenFigure(tokenCount) ?? 0), 0);
}
