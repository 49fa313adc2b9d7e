import type { Model, TokenPrice } from './model';
import type { PdfSize } from './pdf-size';
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
  /** Inline PDFs in base64. */
  readonly pdfs?: readonly string[];
  /** Of the body, in which the PDFs stand. */
  readonly pdfBytes?: number;
  /** What is in all PDFs together; absent while nobody has read them, and where that bounds nothing. */
  readonly pdf?: PdfSize;
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
  const media = mediaBound(model, size);
  if (media === undefined) return model.contextLength;
  const text = countedInput ?? textBytes(size);
  return Math.min(text + media + (size.hiddenInputTokens ?? 0), model.contextLength);
}

/**
 * Most tokens of the images and PDFs; undefined where nothing but the context bounds them. Providers add an image of
 * each page to the text of a PDF (developers.openai.com, guide "File inputs"; platform.claude.com, "PDF support";
 * ai.google.dev, "Document understanding"), which costs what an image does.
 */
function mediaBound(
  { maxImageTokens }: Model,
  { hasMedia, images = 0, pdfs = [], pdf }: RequestSize,
): number | undefined {
  if (hasMedia || (pdfs.length > 0 && !pdf)) return undefined;
  const pictures = images + (pdf?.pages ?? 0);
  if (pictures > 0 && maxImageTokens === 0) return undefined;
  return pictures * maxImageTokens + (pdf?.textTokens ?? 0);
}

function textBytes({ bodyBytes, imageBytes = 0, pdfBytes = 0 }: RequestSize): number {
  return bodyBytes - imageBytes - pdfBytes;
}

/** The same bound with no room to lower it. */
export function wholeOnly(bound: UpperBound): UpperBound {
  return { ...bound, floorOutputTokens: bound.outputTokens, floorCostNano: bound.costNano };
}

/** About how many tokens the input is: for the record of a call that nobody could count. */
export function estimateInput(size: RequestSize): number {
  return Math.ceil((textBytes(size) + (size.pdf?.textTokens ?? 0)) / BYTES_PER_TOKEN);
}
