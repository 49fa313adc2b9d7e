import { MediaRefused } from '../../domain/media-refused';
import { isUpload, MIME_TYPES, type Upload } from '../../domain/upload';
import type { UpstreamBody } from '../../domain/upstream-body';
import type { ImageOrder } from '../../images/rules/image-provider';
import { imageSizeText } from '../../images/rules/image-size';
import { MASK_NOTE } from '../../images/rules/mask-note';
import { Base64Text, jsonBody } from '../json-body';
import { imageShape } from './image-shape';

/** Writes the body of `generateContent`. @throws MediaRefused */
export function imageBody(order: ImageOrder): UpstreamBody {
  if (order.n > 1) throw new MediaRefused('this provider generates one image per request');
  const uploads = [...order.images.filter(isUpload), ...(order.mask ? [order.mask] : [])];
  const text = order.mask ? `${order.prompt}\n\n${MASK_NOTE}` : order.prompt;
  return jsonBody({
    contents: [{ role: 'user', parts: [{ text }, ...uploads.map(inlinePart)] }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      imageConfig: imageConfig(order),
      // A prompt may request several images in one reply.
      maxOutputTokens: order.maxOutputTokens,
    },
  });
}

function inlinePart(upload: Upload) {
  return { inlineData: { mimeType: MIME_TYPES[upload.kind], data: new Base64Text(upload) } };
}

function imageConfig({ size }: ImageOrder) {
  const shape = size && imageShape(size);
  if (size && !shape) throw new MediaRefused(`this provider makes no images of ${imageSizeText(size)}`);
  return shape;
}
