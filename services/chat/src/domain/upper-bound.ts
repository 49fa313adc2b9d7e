import { boundOf, type TokenPrice, type UnitCounts } from '@gateway/pricing';
import type { Model } from './model';
import type { PdfSize } from './pdf-size';
import { searchUnits } from './usage';

/** The parts of a request that determine how many tokens it can use. */
export interface RequestSize {
  readonly bodyBytes: number;
  /** Has input such as audio or files, whose tokens can't be derived from their size and have no known maximum. */
  readonly hasMedia: boolean;
  /** Images, each with a maximum number of tokens if the catalog has one. */
  readonly images?: number;
  /** Bytes of the body that are inline images. */
  readonly imageBytes?: number;
  /** Inline PDFs in base64. */
  readonly pdfs?: readonly string[];
  /** Bytes of the body that are inline PDFs. */
  readonly pdfBytes?: number;
  /** Pages and text of all PDFs together; absent until they have been read, or if reading can't bound them. */
  readonly pdf?: PdfSize;
  /** Links that the provider fetches; undefined: none. */
  readonly links?: readonly string[];
  /** Audio of the prompt; absent: none. */
  readonly audio?: AudioSize;
  /** Tokens of a second of audio at the provider that counts most; absent: the usual rate. */
  readonly audioTokensPerSecond?: number;
  /** The reply is spoken. */
  readonly speaks?: boolean;
  /** The caller's maximum output per choice. */
  readonly maxOutputTokens?: number;
  /** The provider accepts no maximum, so only the context length ends the output, however short the input is. */
  readonly openEnded?: boolean;
  /** The output can't be lowered to what funds cover, because the provider takes no maximum. Absent: it can. */
  readonly hasFixedOutput?: true;
  /** Prompts, each with a context of its own; absent: 1. */
  readonly prompts?: number;
  readonly choices: number;
  /**
   * UTF-8 bytes of the predicted output, an upper bound of its tokens: those that the reply does not contain are billed as output
   * in addition to the reply.
   */
  readonly predictionBytes: number;
  /** Maximum tokens of instructions that the provider adds and bills; absent: none. */
  readonly hiddenInputTokens?: number;
  /** The caller's thinking budget: a call without funds for it and an answer is not worth sending. */
  readonly thinkingBudgetTokens?: number;
  /** Asks for cache writes with a lifetime of an hour, which cost more. */
  readonly longCache?: boolean;
  /** Maximum searches of the web by the provider; absent: none. */
  readonly webSearches?: number;
  /** Maximum tokens of the results of one search, billed as input; absent: they are not. */
  readonly searchResultTokens?: number;
}

export interface AudioSize {
  /** Maximum duration of the inline audio whose duration is bounded; with other audio, the call has media. */
  readonly seconds: number;
  /** Bytes of the body that are inline audio. */
  readonly bytes: number;
  /** Earlier spoken replies that the prompt refers to. */
  readonly replies: number;
}

/**
 * Tokens of a second of audio in a prompt: at Google 32 (ai.google.dev/gemini-api/docs/tokens), at OpenAI ten
 * (developers.openai.com/api/docs/guides/realtime-costs).
 */
export const AUDIO_TOKENS_PER_SECOND = { usual: 32, openai: 10 } as const;

/** Of English prose, by the public tokenizers. */
const BYTES_PER_TOKEN = 4;

/** The maximum that a call may use, and the minimum for which it is still worth sending. */
export interface UpperBound {
  readonly inputTokens: number;
  /** How many of them may be audio; absent: none. */
  readonly audioTokens?: number;
  /** All choices together. */
  readonly outputTokens: number;
  /** Absent: none. */
  readonly units?: UnitCounts;
  readonly costNano: bigint;
  readonly floorOutputTokens: number;
  readonly floorCostNano: bigint;
}

/**
 * Returns the maximum that a call can use. Every token takes at least one byte of text, and the JSON around a message is
 * longer than the tokens that frame it; beyond the context length a provider refuses the call.
 * @param countedInput a tighter figure for the input, if the model's own tokenizer has counted it
 */
export function upperBound(
  model: Model,
  price: TokenPrice,
  size: RequestSize,
  countedInput?: number,
): UpperBound {
  const inputTokens = withSearchInput(model, size, inputBound(model, size, countedInput));
  const audioTokens = audioBound(model, size, inputTokens);
  const units = unitBound(size);
  const most = size.openEnded ? model.contextLength : model.maxOutputTokens;
  const perChoice = Math.min(size.maxOutputTokens ?? most, most) + size.predictionBytes;
  const outputTokens = perChoice * size.choices;
  // Providers require a thinking budget below the maximum output.
  const leastPerChoice = size.hasFixedOutput
    ? perChoice
    : Math.max(1, model.outputFloorTokens, (size.thinkingBudgetTokens ?? 0) + 1);
  const floorOutputTokens = Math.min(perChoice, leastPerChoice + size.predictionBytes) * size.choices;
  return {
    inputTokens,
    ...(audioTokens > 0 && { audioTokens }),
    outputTokens,
    ...(units && { units }),
    costNano: boundOf(inputTokens, outputTokens, price, units, audioTokens),
    floorOutputTokens,
    floorCostNano: boundOf(inputTokens, floorOutputTokens, price, units, audioTokens),
  };
}

function inputBound(model: Model, size: RequestSize, countedInput: number | undefined): number {
  const media = mediaBound(model, size);
  const most = model.contextLength * (size.prompts ?? 1);
  if (media === undefined) return most;
  const text = countedInput ?? textBytes(size);
  return Math.min(text + media + knownAudio(model, size) + (size.hiddenInputTokens ?? 0), most);
}

/** Returns how many of the input tokens may be audio: all of them with media of an unknown size, which may be audio. */
function audioBound(model: Model, size: RequestSize, inputTokens: number): number {
  if (size.hasMedia) return inputTokens;
  const rounds = size.searchResultTokens === undefined ? 1 : (size.webSearches ?? 0) + 1;
  return Math.min(knownAudio(model, size) * rounds, inputTokens);
}

/** Returns the maximum tokens of audio whose size is known. A reply is no longer than the model's maximum. */
function knownAudio({ maxOutputTokens }: Model, { audio, audioTokensPerSecond }: RequestSize): number {
  if (!audio) return 0;
  const perSecond = audioTokensPerSecond ?? AUDIO_TOKENS_PER_SECOND.usual;
  return Math.ceil(audio.seconds * perSecond) + audio.replies * maxOutputTokens;
}

/** Maximum searches of a call whose caller names no maximum. */
export const MAX_WEB_SEARCHES = 10;

const unitBound = ({ webSearches }: RequestSize): UnitCounts | undefined =>
  webSearches ? searchUnits(webSearches) : undefined;

/**
 * Adds what searches add to the input. After each one the provider bills the conversation again, with the results so far, which
 * never exceeds the context.
 */
function withSearchInput(
  { contextLength }: Model,
  { webSearches = 0, searchResultTokens }: RequestSize,
  inputTokens: number,
): number {
  if (searchResultTokens === undefined) return inputTokens;
  const longest = Math.min(inputTokens + webSearches * searchResultTokens, contextLength);
  return Math.ceil(((inputTokens + longest) / 2) * (webSearches + 1));
}

/**
 * Returns the maximum tokens of the images and PDFs, or undefined if only the context bounds them. Providers add an image of
 * each page to the text of a PDF, which costs as much as any image (developers.openai.com, guide "File inputs";
 * platform.claude.com, "PDF support"; ai.google.dev, "Document understanding").
 */
export function mediaBound(
  { maxImageTokens }: Model,
  { hasMedia, images = 0, pdfs = [], pdf }: RequestSize,
): number | undefined {
  if (hasMedia || (pdfs.length > 0 && !pdf)) return undefined;
  const pictures = images + (pdf?.pages ?? 0);
  if (pictures > 0 && maxImageTokens === 0) return undefined;
  return pictures * maxImageTokens + (pdf?.textTokens ?? 0);
}

/** Returns the bytes of the body without inline images, PDFs and audio. */
export function textBytes({ bodyBytes, imageBytes = 0, pdfBytes = 0, audio }: RequestSize): number {
  return bodyBytes - imageBytes - pdfBytes - (audio?.bytes ?? 0);
}

/** Returns the bound of a call whose output must not be lowered: its minimum is its maximum. */
export function withoutReduction(bound: UpperBound): UpperBound {
  return { ...bound, floorOutputTokens: bound.outputTokens, floorCostNano: bound.costNano };
}

/** Estimates the input tokens, for the record of a call whose tokens could not be counted. */
export function estimateInput(size: RequestSize): number {
  const audioTokens = Math.ceil((size.audio?.seconds ?? 0) * AUDIO_TOKENS_PER_SECOND.openai);
  return Math.ceil((textBytes(size) + (size.pdf?.textTokens ?? 0)) / BYTES_PER_TOKEN) + audioTokens;
}
