import { imageFormatOf } from '../../domain/files/image';
import type { ImageSpec } from '../../domain/image-spec';
import { textPrompt } from '../../domain/prompt';
import type { Tokenizer } from '../../domain/tokenizer';
import type { Form, FormFile } from '../../http/read-form';
import type { ParsedRequest } from '../handle-call';
import { isObject, type Json } from '../json';
import { invalid, missing } from './error';
import { type ImageFields, oneOf, parseImageFields } from './image-fields';
import { INPUT_IMAGE_TOKENS } from './image-tokens';

export interface ImageRequest extends ParsedRequest {
  readonly spec: ImageSpec;
  readonly background: ImageFields['background'];
  /** Of each image. */
  readonly partialImages: number;
}

export const MAX_INPUT_IMAGES = 16;
const MAX_MASK_BYTES = 4 * 1024 * 1024;
const IMAGE_PARTS = ['image', 'image[]'];
const NUMBERS = ['n', 'output_compression', 'partial_images'];

/** @throws ProviderError */
export function parseGeneration(body: unknown, tokenizer: Tokenizer): ImageRequest {
  if (!isObject(body)) throw invalid('We could not parse the JSON body of your request as an object.');
  const fields = parseImageFields(body, ['moderation']);
  oneOf(body, 'moderation', ['auto', 'low']);
  return toRequest(fields, [], tokenizer);
}

/** @throws ProviderError */
export function parseEdit(form: Form, tokenizer: Tokenizer): ImageRequest {
  const body = toBody(form);
  const fields = parseImageFields(body, ['input_fidelity']);
  oneOf(body, 'input_fidelity', ['high', 'low']);
  const images = form.files.filter(({ part }) => IMAGE_PARTS.includes(part));
  const masks = form.files.filter(({ part }) => part === 'mask');
  const stray = form.files.find((file) => !images.includes(file) && !masks.includes(file));
  if (stray !== undefined) {
    throw invalid(`Unknown parameter: '${stray.part}'.`, stray.part, 'unknown_parameter');
  }
  if (images.length === 0) throw missing('image');
  if (images.length > MAX_INPUT_IMAGES || images.filter(({ part }) => part === 'image').length > 1) {
    throw invalid("Invalid 'image': too many images.", 'image', 'array_above_max_length');
  }
  for (const image of images) checkImage(image);
  if (masks.length > 1) throw invalid("Invalid 'mask': more than one.", 'mask');
  const [mask] = masks;
  if (mask !== undefined) checkMask(mask, images[0]!);
  return toRequest(fields, [...images, ...masks], tokenizer);
}

/** Converts a form's text fields to the types of a JSON body. */
function toBody({ fields }: Form): Json {
  const body: Json = {};
  for (const [name, value] of fields) {
    if (NUMBERS.includes(name)) body[name] = /^\d{1,9}$/.test(value) ? Number(value) : value;
    else body[name] = name === 'stream' ? value === 'true' : value;
  }
  return body;
}

function checkImage({ part, head }: FormFile): void {
  if (imageFormatOf(head) !== undefined) return;
  throw invalid(
    `Invalid file '${part}': unsupported mimetype. Supported file formats are PNG, JPEG and WebP.`,
    'image',
    'unsupported_file_mimetype',
  );
}

function checkMask(mask: FormFile, image: FormFile): void {
  if (imageFormatOf(mask.head) !== 'png' || mask.bytes >= MAX_MASK_BYTES) {
    throw invalid('Invalid mask image format: a PNG of less than 4 MB.', 'mask', 'invalid_image_format');
  }
  // Width and height in the PNG header; sizes of other formats are not read.
  const sizeOf = ({ head }: FormFile) => head.subarray(16, 24);
  if (imageFormatOf(image.head) === 'png' && !sizeOf(mask).equals(sizeOf(image))) {
    throw invalid('Invalid mask image: its size must be that of the image.', 'mask', 'invalid_image_size');
  }
}

function toRequest(fields: ImageFields, files: readonly FormFile[], tokenizer: Tokenizer): ImageRequest {
  const { model, text, n, size, format, quality, background, tokensPerImage, stream, partialImages } = fields;
  const inputs = files.filter(({ part }) => part !== 'mask').length;
  const spec: ImageSpec = {
    text,
    n,
    size,
    format,
    quality,
    uploads: files.map(({ part, bytes, sha256 }) => ({ part, bytes, sha256 })),
    textTokens: tokenizer.count(text),
    inputImageTokens: inputs * INPUT_IMAGE_TOKENS,
    tokensPerImage,
  };
  return { model, stream, prompt: textPrompt(text), spec, background, partialImages };
}
