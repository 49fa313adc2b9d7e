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
  /** Of a predicted output; what of it is wrong is billed as output, beside what the model says. */
  readonly predictionBytes: number;
}

/** Of English prose, by the public tokenizers. */
const BYTES_PER_TOKEN = 4;

/** What a call may use at most, and the least with which it is still worth sending. */
export interface UpperBound {
  readonly inputTokens: number;
  /** All choices together. */
  readonly outputTokens: number;
  readonly costNano: bigint;
  readonly floorOutputTokens: number;
  readonly floorCostNano: bigint;
}

/**
 * The most that a call can use. Every token stands for at least one byte of text, and the JSON around a
 * message is longer than the tokens that frame it; past the context length a provider refuses.
 * @param countedInput a tighter figure for the input, where the model's own tokenizer has counted it
 */
export function upperBound(
  model: Model,
  price: TokenPrice,
  size: RequestSize,
  countedInput?: number,
): UpperBound {
  const inputTokens = size.hasMedia
    ? model.contextLength
    : Math.min(countedInput ?? size.bodyBytes, model.contextLength);
  const perChoice =
    Math.min(size.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens) + size.predictionBytes;
  const outputTokens = perChoice * size.choices;
  const floorOutputTokens =
    Math.min(perChoice, Math.max(1, model.outputFloorTokens) + size.predictionBytes) * size.choices;
  return {
    inputTokens,
    outputTokens,
    costNano: boundOf(inputTokens, outputTokens, price),
    floorOutputTokens,
    floorCostNano: boundOf(inputTokens, floorOutputTokens, price),
  };
}

/** The same bound with no room to lower it. */
export function wholeOnly(bound: UpperBound): UpperBound {
  return { ...bound, floorOutputTokens: bound.outputTokens, floorCostNano: bound.costNano };
}

/** About how many tokens the input is: for the record of a call that nobody could count. */
export function estimateInput(size: RequestSize): number {
  return Math.ceil(size.bodyBytes / BYTES_PER_TOKEN);
}
