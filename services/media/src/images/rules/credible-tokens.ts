import type { ImageResult } from './image-provider';

/**
 * The result without figures that can't be its own: providers have been seen to leave out what the images or the prompt
 * took, and by such figures images would be sold at the price of their prompt.
 */
export function withCredibleTokens({ tokens, ...result }: ImageResult): ImageResult {
  if (!tokens) return result;
  const isWhole = tokens.textInput + tokens.imageInput > 0 && tokens.output > 0;
  return result.images.length === 0 || isWhole ? { ...result, tokens } : result;
}
