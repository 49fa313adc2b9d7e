import { isUpload } from '../../domain/upload';
import type { ImageOrder } from '../../images/rules/image-provider';
import { imageSizeText } from '../../images/rules/image-size';
import { type FormBody, formBody } from '../form-body';
import { jsonBody } from '../json-body';

/** Fields of generations only. */
const GENERATION_HINTS = new Set(['moderation']);

export function generationBody(order: ImageOrder): FormBody {
  return { contentType: 'application/json', body: jsonBody({ ...fieldsOf(order), ...order.hints }) };
}

/** One file is `image`, several are `image[]`, as in the official SDKs. */
export function editBody(order: ImageOrder, boundary: string): FormBody {
  const hints = Object.entries(order.hints).filter(([name]) => !GENERATION_HINTS.has(name));
  const fields = [...Object.entries(fieldsOf(order)), ...hints].map(
    ([name, value]) => [name, String(value)] as const,
  );
  const images = order.images.filter(isUpload);
  const part = images.length === 1 ? 'image' : 'image[]';
  const files = images.map((upload) => ({ part, upload }));
  const masks = order.mask ? [{ part: 'mask', upload: order.mask }] : [];
  return formBody(fields, [...files, ...masks], boundary);
}

function fieldsOf(order: ImageOrder) {
  const { size, quality, format, background, compression, partialImages } = order;
  return {
    model: order.upstreamModel,
    prompt: order.prompt,
    n: order.n,
    ...(size && { size: imageSizeText(size) }),
    ...(quality && { quality }),
    ...(format && { output_format: format }),
    ...(background && { background }),
    ...(compression !== undefined && { output_compression: compression }),
    ...(partialImages && { stream: true, partial_images: partialImages }),
  };
}
