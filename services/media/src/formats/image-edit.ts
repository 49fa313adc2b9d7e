import { requireParts } from '../domain/require-parts';
import type { Upload } from '../domain/upload';
import type { ImageRequest } from '../images/rules/image-request';
import { readImageFields } from './image-fields';
import { editSchema } from './image-schema';
import { invalid } from './invalid';

/** File parts and their maximum numbers: one file is `image`, a list `image[]`; both are read alike. */
export const EDIT_FILES: Readonly<Record<string, number>> = { image: 16, 'image[]': 16, mask: 1, markup: 1 };

const NUMBERS = new Set(['n', 'output_compression', 'partial_images', 'frame_count', 'frame_duration_ms']);
const BOOLEANS = new Set(['stream']);
const MAX_MASK_BYTES = 4 * 1024 * 1024;

/** Reads a form. @throws GatewayError `invalid_request` or `invalid_model` */
export function parseImageEdit(
  fields: ReadonlyMap<string, string>,
  uploads: readonly Upload[],
): ImageRequest {
  const images = uploads.filter(({ part }) => part === 'image' || part === 'image[]');
  const [mask, ...moreMasks] = uploads.filter(({ part }) => part === 'mask');
  const markup = uploads.some(({ part }) => part === 'markup');
  requireParts(fields);
  if (images.length === 0) throw invalid('image: the part is missing');
  if (moreMasks.length > 0) throw invalid('mask: more than one');
  if (mask && (mask.kind !== 'png' || mask.bytes >= MAX_MASK_BYTES)) {
    throw invalid('mask: not a PNG of less than 4 MiB');
  }
  for (const { part, kind } of images) if (kind === 'gif') throw invalid(`${part}: not a PNG, JPEG or WebP`);
  const read = readImageFields(Object.fromEntries(typed(fields)), editSchema);
  const unsupportedFields = markup ? [...read.unsupportedFields, 'markup'] : read.unsupportedFields;
  return { ...read, unsupportedFields, edit: true, images, ...(mask && { mask }) };
}

/** Form fields are text; a value that is not a number or boolean stays text, for the schema to refuse. */
function* typed(fields: ReadonlyMap<string, string>): Generator<[string, unknown]> {
  for (const [name, value] of fields) {
    if (NUMBERS.has(name) && /^-?\d{1,15}$/.test(value)) yield [name, Number(value)];
    else if (BOOLEANS.has(name) && /^(true|false)$/.test(value)) yield [name, value === 'true'];
    else yield [name, value];
  }
}
