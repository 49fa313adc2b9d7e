import type { FittedImageOrder } from '../images/rules/fit-image-order';
import type { GeneratedImage, ImageResult, ImageTokens } from '../images/rules/image-provider';
import type { ImageRequest } from '../images/rules/image-request';
import { imageSizeText } from '../images/rules/image-size';

/**
 * Returns the response in OpenAI's shape. If links were requested, an image that its provider sent as bytes becomes a data URL.
 */
export function toImageReply(
  { images, tokens, revisedPrompt }: ImageResult,
  { size, quality, background }: FittedImageOrder,
  { replyAs }: Pick<ImageRequest, 'replyAs'>,
  createdMs: number,
) {
  const format = images[0]?.mime.split('/')[1];
  return {
    created: Math.floor(createdMs / 1_000),
    data: images.map((image) => ({
      ...toData(image, replyAs === 'url'),
      ...(revisedPrompt && { revised_prompt: revisedPrompt }),
    })),
    ...(background && { background }),
    ...(format && { output_format: format }),
    ...(quality && { quality }),
    ...(size && { size: imageSizeText(size) }),
    ...(tokens && { usage: toUsage(tokens) }),
  };
}

function toData(image: GeneratedImage, asLink: boolean) {
  if ('url' in image) return { url: image.url };
  return asLink ? { url: `data:${image.mime};base64,${image.base64}` } : { b64_json: image.base64 };
}

function toUsage({ textInput, imageInput, output, textOutput = 0 }: ImageTokens) {
  return {
    input_tokens: textInput + imageInput,
    input_tokens_details: { image_tokens: imageInput, text_tokens: textInput },
    output_tokens: output + textOutput,
    output_tokens_details: { image_tokens: output, text_tokens: textOutput },
    total_tokens: textInput + imageInput + output + textOutput,
  };
}
