import { parseJsonObject } from '@gateway/json-body';
import { BODY_BOUNDS } from '../domain/body-bounds';
import type { ImageRequest } from '../images/rules/image-request';
import { readImageFields } from './image-fields';
import { generationSchema } from './image-schema';

/** Reads a JSON body. @throws GatewayError `invalid_request`, `missing_parameter` or `invalid_model` */
export function parseImageGeneration(bytes: Buffer): ImageRequest {
  const fields = readImageFields(parseJsonObject(bytes, BODY_BOUNDS).value, generationSchema);
  return { ...fields, edit: false, images: [] };
}
