import type { ImageFormat } from '../../domain/files/image';
import type { Size } from '../../domain/files/size';
import type { Json } from '../json';
import { isModelName } from '../model-name';
import { errorOfStatus, invalid, missing, openAiError, wrongType } from './error';
import { outputTokens, PARTIAL_IMAGE_TOKENS, type Quality } from './image-tokens';

/** The fields that generations and edits have in common. */
export interface ImageFields {
  readonly model: string;
  readonly text: string;
  readonly n: number;
  readonly size: Size;
  readonly format: ImageFormat;
  readonly quality: Quality;
  readonly background: 'opaque' | 'transparent';
  readonly tokensPerImage: number;
  readonly stream: boolean;
  readonly partialImages: number;
}

const KNOWN = new Set([
  'background',
  'complexity',
  'model',
  'n',
  'output_compression',
  'output_format',
  'partial_images',
  'prompt',
  'quality',
  'safety_identifier',
  'size',
  'stream',
  'user',
]);

const MAX_PROMPT_CHARS = 32_000;
const MAX_N = 10;
const STEP = 16;
const MAX_EDGE = 3_840;
const MAX_PIXELS = 3_840 * 2_160;
const MAX_RATIO = 3;
const DEFAULT_SIZE = '1024x1024';
const FIXED_SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const FORMATS = ['png', 'jpeg', 'webp'] as const;

/** Follows the types of openai-node 7.55 (resources/images.d.ts). @throws ProviderError */
export function parseImageFields(body: Json, extra: readonly string[]): ImageFields {
  for (const field of Object.keys(body)) {
    // The retired models' response_format and style are refused.
    if (!KNOWN.has(field) && !extra.includes(field)) {
      throw invalid(`Unknown parameter: '${field}'.`, field, 'unknown_parameter');
    }
  }
  const model = parseModel(body.model);
  const size = parseSize(body.size ?? 'auto', model);
  const quality = parseQuality(body.quality ?? 'auto', model);
  const format = oneOf(body, 'output_format', FORMATS) ?? 'png';
  const partialImages = integer(body, 'partial_images', 0, 3) ?? 0;
  const stream = body.stream === true;
  if (partialImages > 0 && !stream) throw invalid('Partial images need a stream.', 'partial_images');
  const compression = integer(body, 'output_compression', 0, 100);
  if (compression !== undefined && format === 'png' && compression !== 100) {
    throw invalid('Compression less than 100 is not supported for PNG output format.', 'output_compression');
  }
  return {
    model,
    text: parsePrompt(body.prompt),
    n: integer(body, 'n', 1, MAX_N) ?? 1,
    size,
    format,
    quality,
    background: parseBackground(body, format),
    tokensPerImage: outputTokens(size, quality) + partialImages * PARTIAL_IMAGE_TOKENS,
    stream,
    partialImages,
  };
}

function parseModel(model: unknown): string {
  if (!isModelName(model)) throw invalid('you must provide a model parameter');
  if (model.startsWith('dall-e')) throw errorOfStatus(404);
  return model;
}

function parsePrompt(prompt: unknown): string {
  if (prompt == null) throw missing('prompt');
  if (typeof prompt !== 'string') throw wrongType('prompt', 'a string');
  if (prompt === '') throw invalid("Invalid 'prompt': empty string.", 'prompt', 'empty_string');
  if (prompt.length > MAX_PROMPT_CHARS) {
    throw invalid("Invalid 'prompt': string too long.", 'prompt', 'string_above_max_length');
  }
  return prompt;
}

function parseSize(value: unknown, model: string): Size {
  const text = value === 'auto' ? DEFAULT_SIZE : value;
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(String(text)) ?? []).map(Number);
  const long = Math.max(width, height);
  const fits =
    width > 0 &&
    height > 0 &&
    width % STEP === 0 &&
    height % STEP === 0 &&
    long <= MAX_EDGE &&
    width * height <= MAX_PIXELS &&
    long <= MAX_RATIO * Math.min(width, height);
  const older = /^gpt-image-1\b/.test(model);
  if (!fits || (older && !FIXED_SIZES.includes(String(text)))) throw invalidValue('size', value);
  return { width, height };
}

function parseQuality(value: unknown, model: string): Quality {
  if (value === 'auto') return 'medium';
  if (value === 'low' || value === 'medium' || value === 'high') return value;
  const finer = !/^gpt-image-(1|2$|2-)/.test(model);
  if (finer && (value === 'xhigh' || value === 'max')) return value;
  throw invalidValue('quality', value);
}

function parseBackground(body: Json, format: ImageFormat): ImageFields['background'] {
  const background = oneOf(body, 'background', ['auto', 'opaque', 'transparent'] as const);
  if (background !== 'transparent') return 'opaque';
  if (format === 'jpeg')
    throw invalid('Transparent background is not supported for JPEG output format.', 'background');
  return background;
}

export function oneOf<T extends string>(body: Json, param: string, values: readonly T[]): T | undefined {
  const value = body[param];
  if (value == null) return undefined;
  const found = values.find((known) => known === value);
  if (found === undefined) throw invalidValue(param, value);
  return found;
}

function integer(body: Json, param: string, min: number, max: number): number | undefined {
  const value = body[param];
  if (value == null) return undefined;
  if (!Number.isInteger(value)) throw wrongType(param, 'an integer');
  if ((value as number) < min || (value as number) > max) {
    throw invalid(`Invalid '${param}': out of range.`, param, 'integer_out_of_range');
  }
  return value as number;
}

function invalidValue(param: string, value: unknown) {
  const shown = String(value).slice(0, 64);
  return openAiError(
    400,
    `Invalid value: '${shown}'.`,
    'image_generation_user_error',
    'invalid_value',
    param,
  );
}
