import type { Model, TokenPrice } from './model';
import { boundOf } from './price';

/** What of a request decides how many tokens it can use. */
export interface RequestSize {
  readonly bodyBytes: number;
  /** Images, audio or files: their tokens can't be told from their bytes. */
  readonly hasMedia: boolean;
  /** The caller's maximum output per choice. */
  readonly maxOutputTokens?: number;
  readonly choices: number;
}

/** Of English prose, by the public tokenizers. */
const BYTES_PER_TOKEN = 4;

export interface UpperBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
}

/**
 * The most that a call can use. Every token stands for at least one byte of text, and the JSON around a
 * message is longer than the tokens that frame it; past the context length a provider refuses.
 */
export function upperBound(model: Model, price: TokenPrice, size: RequestSize): UpperBound {
  const inputTokens = size.hasMedia ? model.contextLength : Math.min(size.bodyBytes, model.contextLength);
  const perChoice = Math.min(size.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  const outputTokens = perChoice * size.choices;
  return { inputTokens, outputTokens, costNano: boundOf(inputTokens, outputTokens, price) };
}

/** About how many tokens the input is: for the record of a call that nobody could count. */
export function estimateInput(size: RequestSize): number {
  return Math.ceil(size.bodyBytes / BYTES_PER_TOKEN);
}
