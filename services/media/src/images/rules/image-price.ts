import { GatewayError } from '@gateway/errors';
import type { ImageFeatures, ImageOffer, ImagePricing } from '../../domain/model';
import { isUpload, type MediaFile } from '../../domain/upload';
import { type FittedImageOrder, unsupported } from './fit-image-order';
import type { ImageTokens } from './image-provider';
import { imageSizeText } from './image-size';

const TOKENS_PER_PRICE = 1_000_000n;
/** What a provider puts around a prompt: roles, marks, the sentence about a mask. */
const FRAME_TOKENS = 256;
const SQUARE_PIXELS = 1_024 * 1_024;
const MEGAPIXEL = 1_024 * 1_024;
/** Beyond what any provider takes, and far below what an amount of money can hold. */
const MAX_PIXELS = 2 ** 30;

/** What one order is sold at: fixed on admission. */
export type ImageRate =
  | {
      readonly by: 'image';
      readonly priceNano: bigint;
      /** What those that are sent cost, whatever is made of them. */
      readonly input?: { readonly megapixels: number; readonly megapixelNano: bigint };
    }
  | { readonly by: 'token'; readonly price: TokenRates; readonly most: ImageTokens };

interface TokenRates {
  readonly textInputNano: bigint;
  readonly imageInputNano: bigint;
  readonly imageOutputNano: bigint;
  readonly textOutputNano: bigint;
}

/** What came of an order. Absent figures: the most that it can be. */
export interface ImageUse {
  /** Images; more than were ordered are not the caller's to pay. */
  readonly made: number;
  readonly tokens?: ImageTokens | undefined;
  readonly inputMegapixels?: number | undefined;
}

/** The most that an order can cost, and the tokens that it is expected to use. */
export interface ImageBound {
  readonly costNano: bigint;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** Of English text, and about of Chinese. */
const BYTES_PER_TOKEN = 4;

/**
 * By the image where the model has such a price for this size and quality, else by tokens.
 * @throws GatewayError `image_generation_failed` where it has neither: no price, no route; `invalid_request` for an
 * image sent that does not say how large it is, where its price depends on that
 */
export function rateFor(order: FittedImageOrder, { features, pricing }: ImageOffer): ImageRate {
  const priced = perImage(order, pricing);
  if (priced !== undefined) return { by: 'image', priceNano: priced, ...inputOf(order, pricing) };
  const { textInputNano, imageInputNano, imageOutputNano, textOutputNano } = pricing;
  const outputTokens = tokensOfOne(order, features);
  if (textInputNano === undefined || imageOutputNano === undefined || outputTokens === undefined) {
    throw unsupported('this size and quality, which have no price');
  }
  const sent = order.images.length + (order.mask ? 1 : 0);
  if (sent > 0 && (imageInputNano === undefined || features.maxInputImageTokens === 0)) {
    throw unsupported('images to edit, which have no price');
  }
  return {
    by: 'token',
    price: {
      textInputNano,
      // What is told as images without any having been sent is text that its provider did not tell apart.
      imageInputNano: imageInputNano ?? textInputNano,
      imageOutputNano,
      textOutputNano: textOutputNano ?? imageOutputNano,
    },
    most: {
      // Every token stands for at least one byte of text.
      textInput: Buffer.byteLength(order.prompt) + FRAME_TOKENS,
      imageInput: sent * features.maxInputImageTokens,
      output: order.n * outputTokens,
      textOutput: order.n * features.textOutputTokens,
    },
  };
}

export function boundOf({ n, prompt }: FittedImageOrder, rate: ImageRate): ImageBound {
  if (rate.by === 'image') return { promptTokens: 0, outputTokens: 0, costNano: costOfImages(n, rate) };
  const { imageInput, output } = rate.most;
  return {
    promptTokens: Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN) + imageInput,
    // Words beside the images are few at most models, and counted when the call has ended.
    outputTokens: output,
    costNano: costOfTokens(rate.most, rate.price),
  };
}

/** What a provider may use to make all that was ordered, where its tokens are what is paid for. */
export function maxOutputTokensOf(rate: ImageRate): number | undefined {
  return rate.by === 'token' ? rate.most.output + (rate.most.textOutput ?? 0) : undefined;
}

/** What a call costs, rounded up once: by the provider's figures, as far as there are any. */
export function costOf(
  { n }: FittedImageOrder,
  rate: ImageRate,
  { made, tokens, inputMegapixels }: ImageUse,
): bigint {
  const sold = Math.min(made, n);
  if (rate.by === 'image') return sold === 0 ? 0n : costOfImages(sold, rate, inputMegapixels);
  if (tokens) return costOfTokens(tokens, rate.price);
  if (sold === 0) return 0n;
  const { output, textOutput = 0 } = rate.most;
  const most = { ...rate.most, output: (output / n) * sold, textOutput: (textOutput / n) * sold };
  return costOfTokens(most, rate.price);
}

/** @param counted by the provider, which may make images smaller before it counts; not more than is held */
function costOfImages(
  images: number,
  { priceNano, input }: ImageRate & { readonly by: 'image' },
  counted = Number.POSITIVE_INFINITY,
): bigint {
  const made = BigInt(images) * priceNano;
  if (!input) return made;
  return made + BigInt(Math.min(input.megapixels, Math.ceil(counted))) * input.megapixelNano;
}

function inputOf({ images, mask }: FittedImageOrder, { inputMegapixelNano: megapixelNano }: ImagePricing) {
  if (megapixelNano === undefined) return undefined;
  const megapixels = [...images, ...(mask ? [mask] : [])].reduce((sum, file) => sum + megapixelsOf(file), 0);
  return { input: { megapixels, megapixelNano } };
}

function megapixelsOf(file: MediaFile): number {
  const pixels = isUpload(file) ? file.pixels : undefined;
  if (pixels !== undefined && pixels <= MAX_PIXELS) return Math.ceil(pixels / MEGAPIXEL);
  const part = isUpload(file) ? file.part : 'image';
  throw new GatewayError('invalid_request', {
    detail: `${part}: does not say its width and height, or is too large`,
  });
}

function costOfTokens(tokens: ImageTokens, price: TokenRates): bigint {
  const { textInput, imageInput, output, textOutput = 0 } = tokens;
  const total =
    BigInt(textInput) * price.textInputNano +
    BigInt(imageInput) * price.imageInputNano +
    BigInt(output) * price.imageOutputNano +
    BigInt(textOutput) * price.textOutputNano;
  return (total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE;
}

function perImage(order: FittedImageOrder, { perImage: prices }: ImagePricing): bigint | undefined {
  return mostFitting(order, prices)?.priceNano;
}

function tokensOfOne(order: FittedImageOrder, features: ImageFeatures): number | undefined {
  const { outputTokens, outputTokensByArea } = features;
  if (!outputTokensByArea) return mostFitting(order, outputTokens)?.tokens;
  const { size, ...ofAnySize } = order;
  const row = mostFitting(ofAnySize, outputTokens);
  return row && size && Math.ceil((row.tokens * size.width * size.height) / SQUARE_PIXELS);
}

/** Of rows for a size and a quality the one that names most of them; what a row leaves empty stands for any. */
function mostFitting<Row extends { size: string; quality: string }>(
  { size, quality = '' }: FittedImageOrder,
  rows: readonly Row[],
): Row | undefined {
  const wanted = size ? imageSizeText(size) : '';
  const find = (sizeText: string, qualityText: string) =>
    rows.find((row) => row.size === sizeText && row.quality === qualityText);
  return find(wanted, quality) ?? find(wanted, '') ?? find('', quality) ?? find('', '');
}
