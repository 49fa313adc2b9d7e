import { MediaRefused } from '../../domain/media-refused';
import { isUpload } from '../../domain/upload';
import type { UpstreamBody } from '../../domain/upstream-body';
import type { ImageOrder } from '../../images/rules/image-provider';
import { MASK_NOTE } from '../../images/rules/mask-note';
import { Base64Text, jsonBody } from '../json-body';

/** These models take a ratio, always at about a million pixels (docs.bfl.ai, "FLUX.1 Kontext"). */
const BY_RATIO = /^flux-kontext-/;

/** Including the mask. */
const MAX_UPLOADS = 8;

/** Writes the body of `POST /v1/{model}`. @throws MediaRefused */
export function fluxBody(order: ImageOrder): UpstreamBody {
  if (order.n > 1) throw new MediaRefused('this provider generates one image per request');
  const { format, mask } = order;
  const uploads = [...order.images.filter(isUpload), ...(mask ? [mask] : [])];
  if (uploads.length > MAX_UPLOADS)
    throw new MediaRefused(`this provider accepts at most ${MAX_UPLOADS} images, including the mask`);
  return jsonBody({
    prompt: mask ? `${order.prompt}\n\n${MASK_NOTE}` : order.prompt,
    ...sizeFields(order),
    output_format: format,
    ...Object.fromEntries(uploads.map((upload, at) => [imageField(at), new Base64Text(upload)])),
  });
}

function sizeFields({ size, upstreamModel }: ImageOrder) {
  if (!size) return {};
  if (!BY_RATIO.test(upstreamModel)) return size;
  const by = greatestDivisor(size.width, size.height);
  return { aspect_ratio: `${size.width / by}:${size.height / by}` };
}

const imageField = (at: number) => (at === 0 ? 'input_image' : `input_image_${at + 1}`);

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
