import { GatewayError } from '@gateway/errors';
import { type ImagePricing, costOfTokens as nanoOf } from '@gateway/pricing';
import type { ImageFeatures, ImageOffer } from '../../domain/model';
import { isUpload, type MediaFile } from '../../domain/upload';
import { type FittedImageOrder, unsupported } from './fit-image-order';
import type { ImageTokens } from './image-provider';
import { imageSizeText } from './image-size';

/** Maximum tokens that a provider adds to a prompt: roles, delimiters, the write about a mask. */
const FRAME_TOKENS = 256;
/** What OpenAI charges for each partial image (https://developers.openai.com/api/docs/guides/image-generation). */
const PARTIAL_IMAGE_TOKENS = 100;
const SQUARE_PIXELS = 1_024 * 1_024;
const MEGAPIXEL = 1_024 * 1_024;
/** Larger than any provider accepts, and far below the range of amounts. */
const MAX_PIXELS = 2 ** 30;

/** The price of an order, fixed at admission. */
export type ImageRate =
  | {
      readonly by: 'image';
      readonly priceNano: bigint;
      /** Price of the input images, charged even if no image is generated. */
      readonly input?: { readonly megapixels: number; readonly megapixelNano: bigint };
    }
  | { readonly by: 'token'; readonly price: TokenRates; readonly maxTokens: ImageTokens };

type TokenRates = Record<'text_input' | 'image_input' | 'image_output' | 'text_output', bigint>;

/** The result of an order. Absent figures count as their maximum. */
export interface ImageUse {
  /** Generated images; images in excess of the order are not charged. */
  readonly images: number;
  readonly tokens?: ImageTokens | undefined;
  readonly inputMegapixels?: number | undefined;
}

/** The maximum cost of an order, and the tokens that it is expected to use. */
export interface ImageBound {
  readonly costNano: bigint;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** For English text, and approximately for Chinese text. */
const BYTES_PER_TOKEN = 4;

/**
 * Returns the price per image if the model has one for this size and quality, otherwise the price by tokens.
 * @throws GatewayError `image_generation_failed` if the model has neither; `invalid_request` for an input image without
 * readable dimensions if its price depends on them
 */
export function rateFor(order: FittedImageOrder, { features, pricing }: ImageOffer): ImageRate {
  const priced = perImage(order, pricing);
  if (priced !== undefined) return { by: 'image', priceNano: priced, ...inputOf(order, pricing) };
  const { text_input, image_input, image_output, text_output } = pricing;
  const outputTokens = tokensOfOne(order, features);
  if (text_input === undefined || image_output === undefined || outputTokens === undefined) {
    throw unsupported('no price for this size and quality');
  }
  const sent = order.images.length + (order.mask ? 1 : 0);
  if (sent > 0 && (image_input === undefined || features.maxInputImageTokens === 0)) {
    throw unsupported('no price for image edits');
  }
  return {
    by: 'token',
    price: {
      text_input,
      // Without input images, tokens reported as images are text that the provider did not distinguish.
      image_input: image_input ?? text_input,
      image_output,
      text_output: text_output ?? image_output,
    },
    maxTokens: {
      // Every token covers at least one byte of text.
      textInput: Buffer.byteLength(order.prompt) + FRAME_TOKENS,
      imageInput: sent * features.maxInputImageTokens,
      output: order.n * outputTokens + (order.partialImages ?? 0) * PARTIAL_IMAGE_TOKENS,
      textOutput: order.n * features.textOutputTokens,
    },
  };
}

export function boundOf({ n, prompt }: FittedImageOrder, rate: ImageRate): ImageBound {
  if (rate.by === 'image') return { promptTokens: 0, outputTokens: 0, costNano: costOfImages(n, rate) };
  const { imageInput, output } = rate.maxTokens;
  return {
    promptTokens: Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN) + imageInput,
    // Most models generate little text with the images; it is counted when the call has ended.
    outputTokens: output,
    costNano: costOfTokens(rate.maxTokens, rate.price),
  };
}

/** Returns the maximum output tokens of the order if it is priced by tokens. */
export function maxOutputTokensOf(rate: ImageRate): number | undefined {
  return rate.by === 'token' ? rate.maxTokens.output + (rate.maxTokens.textOutput ?? 0) : undefined;
}

/** Returns the cost of a call, rounded up once: by the provider's figures, or their maximum where they are absent. */
export function costOf(
  { n }: FittedImageOrder,
  rate: ImageRate,
  { images, tokens, inputMegapixels }: ImageUse,
): bigint {
  const charged = Math.min(images, n);
  if (rate.by === 'image') return charged === 0 ? 0n : costOfImages(charged, rate, inputMegapixels);
  if (tokens) return costOfTokens(tokens, rate.price);
  if (charged === 0) return 0n;
  const { output, textOutput = 0 } = rate.maxTokens;
  const maxTokens = {
    ...rate.maxTokens,
    output: (output / n) * charged,
    textOutput: (textOutput / n) * charged,
  };
  return costOfTokens(maxTokens, rate.price);
}

/** @param counted megapixels by the provider, which may shrink images first; charged only up to the reserved number */
function costOfImages(
  images: number,
  { priceNano, input }: ImageRate & { readonly by: 'image' },
  counted = Number.POSITIVE_INFINITY,
): bigint {
  const outputNano = BigInt(images) * priceNano;
  if (!input) return outputNano;
  return outputNano + BigInt(Math.min(input.megapixels, Math.ceil(counted))) * input.megapixelNano;
}

function inputOf({ images, mask }: FittedImageOrder, { input_megapixel: megapixelNano }: ImagePricing) {
  if (megapixelNano === undefined) return undefined;
  const megapixels = [...images, ...(mask ? [mask] : [])].reduce((sum, file) => sum + megapixelsOf(file), 0);
  return { input: { megapixels, megapixelNano } };
}

function megapixelsOf(file: MediaFile): number {
  const pixels = isUpload(file) ? file.pixels : undefined;
  if (pixels !== undefined && pixels <= MAX_PIXELS) return Math.ceil(pixels / MEGAPIXEL);
  const part = isUpload(file) ? file.part : 'image';
  throw new GatewayError('invalid_request', {
    detail: `${part}: the dimensions can't be read, or are too large`,
  });
}

function costOfTokens(tokens: ImageTokens, price: TokenRates): bigint {
  const { textInput, imageInput, output, textOutput = 0 } = tokens;
  return nanoOf([
    [textInput, price.text_input],
    [imageInput, price.image_input],
    [output, price.image_output],
    [textOutput, price.text_output],
  ]);
}

function perImage(order: FittedImageOrder, { per_image: prices }: ImagePricing): bigint | undefined {
  return mostSpecific(order, prices)?.price;
}

function tokensOfOne(order: FittedImageOrder, features: ImageFeatures): number | undefined {
  const { outputTokens, outputTokensByArea } = features;
  if (!outputTokensByArea) return mostSpecific(order, outputTokens)?.tokens;
  const { size, ...ofAnySize } = order;
  const row = mostSpecific(ofAnySize, outputTokens);
  return row && size && Math.ceil((row.tokens * size.width * size.height) / SQUARE_PIXELS);
}

/** Returns the most specific row for a size and a quality; an empty field of a row matches any value. */
function mostSpecific<Row extends { size: string; quality: string }>(
  { size, quality = '' }: FittedImageOrder,
  rows: readonly Row[],
): Row | undefined {
  const wanted = size ? imageSizeText(size) : '';
  const find = (sizeText: string, qualityText: string) =>
    rows.find((row) => row.size === sizeText && row.quality === qualityText);
  return find(wanted, quality) ?? find(wanted, '') ?? find('', quality) ?? find('', '');
}
