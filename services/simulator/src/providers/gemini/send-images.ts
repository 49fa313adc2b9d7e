import { billOf, drawImages, type ImageSpec } from '../../domain/image-spec';
import type { CallOutcome } from '../../domain/meter';
import { countPrompt, type Prompt } from '../../domain/prompt';
import { type Exchange, sendJsonReply } from '../handle-call';
import type { ProviderProtocol } from '../protocol';
import type { GenerateRequest } from './generate-request';
import type { ImageOptions } from './image-options';

/** Sends a reply of images; a refused reply, or one without images, has status 200 too. */
export function sendImages(
  exchange: Exchange<GenerateRequest, ProviderProtocol>,
  options: ImageOptions,
): CallOutcome {
  const { request, identity, directive, deps } = exchange;
  const refused = directive.policy === true || directive.finish_reason === 'content_filter';
  const spec = toSpec(options, request.prompt, exchange);
  const images = drawImages(spec, refused ? { images: 0 } : directive);
  const said = options.withText && !refused ? (directive.text ?? '') : '';
  const bill = billOf(spec, images.length, refused ? {} : directive, deps.tokenizer.count(said));
  const parts = [
    ...(said === '' ? [] : [{ text: said }]),
    ...images.map((image) => ({ inlineData: { mimeType: 'image/png', data: image.toString('base64') } })),
  ];
  const finishReason = refused ? 'IMAGE_SAFETY' : images.length === 0 ? 'NO_IMAGE' : 'STOP';
  const candidate = {
    ...(parts.length === 0 ? {} : { content: { parts, role: 'model' } }),
    finishReason,
    index: 0,
  };
  const body = {
    candidates: [candidate],
    usageMetadata: toUsage(bill),
    modelVersion: request.model,
    responseId: identity.id,
  };
  return sendJsonReply(exchange, body, images.length, bill);
}

function toSpec(
  options: ImageOptions,
  prompt: Prompt,
  { deps }: Exchange<GenerateRequest, ProviderProtocol>,
): ImageSpec {
  // Input images count by the image model's rate, not by that of chat prompts.
  const messages = prompt.messages.map((message) => ({ ...message, otherParts: 0 }));
  return {
    text: messages.flatMap(({ texts }) => texts).join('\n'),
    n: 1,
    size: options.size,
    format: 'png',
    quality: options.imageSize,
    uploads: options.uploads,
    textTokens: countPrompt({ ...prompt, messages }, deps.tokenizer),
    inputImageTokens: options.uploads.length * options.tokensPerUpload,
    tokensPerImage: options.tokensPerImage,
  };
}

function toUsage({ usage, media }: ReturnType<typeof billOf>) {
  const { promptTokens, completionTokens } = usage;
  const { inputImageTokens, outputImageTokens } = media;
  return {
    promptTokenCount: promptTokens,
    ...(completionTokens === 0 ? {} : { candidatesTokenCount: completionTokens }),
    totalTokenCount: promptTokens + completionTokens,
    promptTokensDetails: toDetails(promptTokens - inputImageTokens, inputImageTokens),
    ...(completionTokens === 0
      ? {}
      : { candidatesTokensDetails: toDetails(completionTokens - outputImageTokens, outputImageTokens) }),
  };
}

/** Zeros are omitted. */
function toDetails(text: number, image: number) {
  return [
    { modality: 'TEXT', tokenCount: text },
    { modality: 'IMAGE', tokenCount: image },
  ].filter(({ tokenCount }) => tokenCount > 0);
}
