import { billOf, drawOrder, type ImageOrder } from '../../domain/image-order';
import type { CallOutcome } from '../../domain/meter';
import { countPrompt, type Prompt } from '../../domain/prompt';
import { type Scene, sendWhole } from '../play';
import type { Voice } from '../voice';
import type { GenerateRequest } from './generate-request';
import type { ImageWish } from './image-wish';

/** A reply of images; refused or without any, it is a reply of status 200 nevertheless. */
export function sendImages(scene: Scene<GenerateRequest, Voice>, wish: ImageWish): CallOutcome {
  const { request, identity, directive, deps } = scene;
  const refused = directive.policy === true || directive.finish_reason === 'content_filter';
  const order = toOrder(wish, request.prompt, scene);
  const images = drawOrder(order, refused ? { images: 0 } : directive);
  const said = wish.withText && !refused ? (directive.text ?? '') : '';
  const bill = billOf(order, images.length, refused ? {} : directive, deps.tokenizer.count(said));
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
  return sendWhole(scene, body, images.length, bill);
}

function toOrder(wish: ImageWish, prompt: Prompt, { deps }: Scene<GenerateRequest, Voice>): ImageOrder {
  // Images weigh what they weigh to a model that makes some, not what a chat counts for them.
  const messages = prompt.messages.map((message) => ({ ...message, otherParts: 0 }));
  return {
    text: messages.flatMap(({ texts }) => texts).join('\n'),
    n: 1,
    size: wish.size,
    format: 'png',
    quality: wish.imageSize,
    uploads: wish.uploads,
    textTokens: countPrompt({ ...prompt, messages }, deps.tokenizer),
    inputImageTokens: wish.uploads.length * wish.tokensPerUpload,
    tokensPerImage: wish.tokensPerImage,
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

/** What is zero is left out. */
function toDetails(text: number, image: number) {
  return [
    { modality: 'TEXT', tokenCount: text },
    { modality: 'IMAGE', tokenCount: image },
  ].filter(({ tokenCount }) => tokenCount > 0);
}
