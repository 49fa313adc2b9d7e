import type { ImageResult } from './image-provider';

/**
 * Returns the result without implausible figures: providers have omitted the tokens of the images or of the prompt, and images
 * would then cost only the price of the prompt.
 */
export function withCredibleTokens({ tokens, ...result }: ImageResult): ImageResult {
  if (!tokens) return result;
  const isWhole = tokens.textInput + tokens.imageInput > 0 && tokens.output > 0;
  return result.images.length === 0 || isWhole ? { ...result, tokens } : result;
}
