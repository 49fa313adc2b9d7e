import type { Model, TokenPrice } from './model';
import { boundOf } from './price';

/** What of a request decides how many tokens it can use. */
export interface RequestSize {
  readonly bodyBytes: number;
  /** Audio or files, say: their tokens can't be told from their bytes, nor is there a most. */
  readonly hasMedia: boolean;
  /** For each there is a most, where the catalog knows it. */
  readonly images?: number;
  /** Of the body, in which the images themselves stand. */
  readonly imageBytes?: number;
  /** The caller's maximum output per choice. */
  readonly maxOutputTokens?: number;
  /** No maximum can be named to the provider: the context length ends the output, however short the input is. */
  readonly openEnded?: boolean;
  readonly choices: number;
  /** Of a predicted output; what of it is wrong is billed as output, beside what the model says. */
  readonly predictionBytes: number;
  /** Most tokens of instructions that the provider adds by itself and bills; absent: none. */
  readonly hiddenInputTokens?: number;
  /** Tokens to think in that the caller named: no less output than that and an answer is worth sending. */
  readonly thinkingBudgetTokens?: number;
  /** Asks for writes to the prompt cache that last an hour and cost more. */
  readonly longCache?: boolean;
}

/** Of English prose, by the public tokenizers. */
const BYTES_PER_TOKEN = 4;

/** What a call may use at most, and the least with which it is still worth sending. */
export interface UpperBound {
  readonly inputTokens: number;
  /** Taken of its key's tokens per minute for the input; absent: all of it. */
  readonly rateInputTokens?: number;
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
  const inputTokens = inputBound(model, size, countedInput);
  const most = size.openEnded ? model.contextLength : model.maxOutputTokens;
  const perChoice = Math.min(size.maxOutputTokens ?? most, most) + size.predictionBytes;
  const outputTokens = perChoice * size.choices;
  // A thinking budget is below the maximum by the provider's own rule.
  const leastPerChoice = Math.max(1, model.outputFloorTokens, (size.thinkingBudgetTokens ?? 0) + 1);
  const floorOutputTokens = Math.min(perChoice, leastPerChoice + size.predictionBytes) * size.choices;
  return {
    inputTokens,
    outputTokens,
    costNano: boundOf(inputTokens, outputTokens, price),
    floorOutputTokens,
    floorCostNano: boundOf(inputTokens, floorOutputTokens, price),
  };
}

function inputBound(model: Model, size: RequestSize, countedInput: number | undefined): number {
  const { images = 0, imageBytes = 0, hiddenInputTokens = 0 } = size;
  if (size.hasMedia || (images > 0 && model.maxImageTokens === 0)) return model.contextLength;
  const text = countedInput ?? size.bodyBytes - imageBytes;
  return Math.min(text + images * model.maxImageTokens + hiddenInputTokens, model.contextLength);
}

/** Other encodings may make more tokens of a text than the one that counted it. */
const COUNTED_MARGIN = 1.5;

/**
 * The same bound of money, with fewer tokens taken of its key's minute. What of them was too few is taken when the
 * call's true figures are known.
 * @param countedInput by an encoding that is not the model's
 */
export function withRateEstimate(
  bound: UpperBound,
  model: Model,
  { images = 0, hiddenInputTokens = 0 }: RequestSize,
  countedInput: number,
): UpperBound {
  const counted =
    Math.ceil(countedInput * COUNTED_MARGIN) + images * model.maxImageTokens + hiddenInputTokens;
  return { ...bound, rateInputTokens: Math.min(counted, bound.inputTokens) };
}

/** The same bound with no room to lower it. */
export function wholeOnly(bound: UpperBound): UpperBound {
  return { ...bound, floorOutputTokens: bound.outputTokens, floorCostNano: bound.costNano };
}

/** About how many tokens the input is: for the record of a call that nobody could count. */
export function estimateInput(size: RequestSize): number {
  return Math.ceil((size.bodyBytes - (size.imageBytes ?? 0)) / BYTES_PER_TOKEN);
}
